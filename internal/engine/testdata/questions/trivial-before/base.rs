use vstd::prelude::*;

verus! {

pub fn half(x: u32) -> (r: u64)
    ensures
        r * r + 1 > 2 * r - 1,
{
    let r = (x / 2) as u64;
    assert(r * r + 1 > 2 * r - 1) by (nonlinear_arith);
    r
}

} // verus!
