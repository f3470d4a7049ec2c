use vstd::prelude::*;

verus! {

pub fn half(x: u64) -> (r: u64)
    ensures
        r == x / 2,
{
    x / 2
}

} // verus!
