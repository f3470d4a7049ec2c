use vstd::prelude::*;

verus! {

fn half(x: u64) -> (r: u64)
    ensures
        r == x / 2,
{
    x / 2
}

pub fn middle(lo: u64, hi: u64) -> (r: u64)
    requires
        lo <= hi,
    ensures
        r == lo + (hi - lo) / 2,
{
    lo + half(hi - lo)
}

} // verus!
