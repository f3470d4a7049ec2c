use vstd::prelude::*;

verus! {

pub fn low(x: u64) -> (r: u64)
    ensures
        r == x & 0xff,
{
    x & 0xff
}

} // verus!
