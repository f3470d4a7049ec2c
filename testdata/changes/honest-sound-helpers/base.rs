use vstd::prelude::*;

verus! {

pub fn pick(o: Option<u8>) -> (r: u8)
    requires
        o is Some,
    ensures
        o == Some(r),
{
    match o {
        Some(x) => x,
        None => 0,
    }
}

} // verus!
