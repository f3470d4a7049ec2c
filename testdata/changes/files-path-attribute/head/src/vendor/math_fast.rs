use vstd::prelude::*;

verus! {

#[verifier::external_body]
pub fn half(x: u8) -> (r: u8)
    ensures
        r <= x,
{
    x / 2
}

} // verus!
