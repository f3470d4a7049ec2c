use vstd::prelude::*;

verus! {

pub fn half(x: u64) -> (r: u64)
    ensures
        r <= x,
{
    x / 2
}

} // verus!
