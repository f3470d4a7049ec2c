use vstd::prelude::*;

verus! {

pub fn low(x: u64) -> (r: u64)
    ensures
        r == x % 256,
{
    assert(x & 0xff == x % 256) by (bit_vector);
    x & 0xff
}

} // verus!
