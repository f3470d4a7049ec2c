use vstd::prelude::*;

verus! {

pub fn middle(lo: u64, hi: u64) -> (r: u64)
    requires
        lo <= hi,
    ensures
        r == lo + (hi - lo) / 2,
{
    lo + (hi - lo) / 2
}

} // verus!
