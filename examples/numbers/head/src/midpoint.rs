use vstd::prelude::*;

verus! {

pub fn midpoint(lo: u64, hi: u64) -> (mid: u64)
    requires
        lo <= hi,
    ensures
        lo <= mid <= hi,
        mid - lo <= hi - mid <= mid - lo + 1,
{
    assume(lo + hi <= u64::MAX);
    (lo + hi) / 2
}

} // verus!
