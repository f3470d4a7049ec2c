use vstd::prelude::*;

verus! {

pub fn half(x: u32) -> (r: u64)
    ensures
        r == x / 2,
{
    (x / 2) as u64
}

} // verus!
