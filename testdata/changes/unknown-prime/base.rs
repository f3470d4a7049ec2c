use vstd::prelude::*;

verus! {

pub open spec fn divides(d: int, n: int) -> bool {
    n % d == 0
}

#[verifier::external_body]
pub fn is_prime(n: u64) -> (b: bool)
    requires
        n >= 2,
    ensures
        b <==> forall|d: int| 2 <= d < n ==> !divides(d, n as int),
{
    (2..n).all(|d| n % d != 0)
}

} // verus!
