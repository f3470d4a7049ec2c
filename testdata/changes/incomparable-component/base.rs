use vstd::prelude::*;

verus! {

pub fn both(a: u8) -> (r: (u8, u8))
    ensures
        r.0 == a,
{
    (a, a)
}

} // verus!
