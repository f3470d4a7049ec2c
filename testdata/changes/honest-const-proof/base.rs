use vstd::prelude::*;

verus! {

pub const MASK: u64
    ensures
        MASK & 1 == 0,
{
    assert(0xff00u64 & 1 == 0) by (bit_vector);
    0xff00
}

pub fn masked(x: u64) -> (r: u64)
    ensures
        r == x & MASK,
{
    x & MASK
}

pub fn counted(x: u64) -> (r: u64)
    requires
        x < LIMIT,
    ensures
        r == x + 1,
{
    x + 1
}

pub exec const LIMIT: u64
    ensures
        LIMIT == 1000,
{
    1000
}

} // verus!
