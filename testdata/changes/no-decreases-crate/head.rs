#![verifier::exec_allows_no_decreases_clause]
use vstd::prelude::*;

verus! {

pub fn ackermann(m: u64, n: u64) -> (r: u64)
    requires
        m <= 1,
        n < 1000,
{
    if m == 0 {
        n + 1
    } else if n == 0 {
        ackermann(m - 1, 1)
    } else {
        1 + n
    }
}

} // verus!
