use vstd::prelude::*;

verus! {

pub fn step(x: u64) -> (r: u64)
    requires
        x < 100,
    ensures
        r == x + 1,
{
    x + 1
}

} // verus!
