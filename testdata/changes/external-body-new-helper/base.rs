use vstd::prelude::*;

verus! {

pub fn isqrt(n: u64) -> (r: u64)
    requires
        n < 10000,
    ensures
        r * r <= n < (r + 1) * (r + 1),
{
    let mut r: u64 = 0;
    while (r + 1) * (r + 1) <= n
        invariant
            r * r <= n,
            n < 10000,
            r < 100,
        decreases n - r,
    {
        r += 1;
    }
    r
}

} // verus!
