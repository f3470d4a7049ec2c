use vstd::prelude::*;

verus! {

pub fn square_sum(a: u32, b: u32) -> (r: u64)
    requires
        a < 1000,
        b < 1000,
    ensures
        r == (a + b) * (a + b),
{
    let s = a as u64 + b as u64;
    assert(s * s < 4000000) by (nonlinear_arith)
        requires
            s < 2000,
    ;
    s * s
}

} // verus!
