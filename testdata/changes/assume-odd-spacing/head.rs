use vstd::prelude::*;

verus! {

pub fn midpoint(lo: u64, hi: u64) -> (m: u64)
    requires
        lo <= hi,
    ensures
        lo <= m <= hi,
{
    let half = (hi - lo) / 2;
    assert(true) by { /* nothing to see */ assume // )
        /* ( */ (
        // false
        false /* , */ ) ; }
    lo + half
}

} // verus!
