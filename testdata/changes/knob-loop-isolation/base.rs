use vstd::prelude::*;

verus! {

pub proof fn big(x: int)
    ensures
        x <= x + 1,
{
}

pub fn spin(n: u32) -> (r: u32)
    ensures
        r == n,
{
    let mut k: u32 = 0;
    while k < n
        invariant
            k <= n,
        decreases n - k,
    {
        k = k + 1;
    }
    k
}

} // verus!
