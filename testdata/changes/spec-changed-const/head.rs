use vstd::prelude::*;

verus! {

pub spec const CAP: int = 1600;

pub fn slot(x: u64) -> (r: u64)
    ensures
        r < CAP,
{
    x % 16
}

} // verus!
