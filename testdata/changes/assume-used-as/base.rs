use vstd::prelude::*;

verus! {

pub fn third(x: u64) -> (r: u64)
    ensures
        r <= x,
{
    x / 3
}

} // verus!
