use vstd::prelude::*;

verus! {

pub open spec fn fact(n: nat) -> nat
    decreases n,
{
    if n == 0 {
        1
    } else {
        n * fact((n - 1) as nat)
    }
}

#[verifier::external_body]
pub fn factorial(n: u8) -> (r: u128)
    requires
        n < 30,
    ensures
        r == fact(n as nat),
{
    (1..=n as u128).product()
}

pub proof fn checked()
    ensures
        1 + 1 == 2int,
{
}

} // verus!
