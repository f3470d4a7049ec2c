use vstd::prelude::*;

verus! {

pub closed spec fn mark(x: u64) -> nat;

#[verifier::external_body]
proof fn low(x: u64)
    ensures
        mark(x) < 5,
{
}

#[verifier::external_body]
proof fn high(x: u64)
    ensures
        mark(x) >= 5,
{
}

pub fn next(x: u64) -> (r: u64)
    requires
        x < 100,
    ensures
        r == x + 1,
{
    proof {
        low(x);
    }
    x + 1
}

pub proof fn checked()
    ensures
        1 + 1 == 2int,
{
}

} // verus!
