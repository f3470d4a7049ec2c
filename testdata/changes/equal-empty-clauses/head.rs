use vstd::prelude::*;

verus! {

pub fn zero() -> (r: u8)
    requires
        true,
    ensures
        r == 0,
{
    0
}

} // verus!
