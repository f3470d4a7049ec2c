use vstd::prelude::*;

verus! {

#[verifier::external_fn_specification]
pub fn ex_black_box(x: u8) -> (r: u8)
    ensures
        r == x,
{
    core::hint::black_box(x)
}

} // verus!
