use vstd::prelude::*;

verus! {

pub proof fn square(x: int)
    ensures
        x * x >= 0,
{
    assert(x * x >= 0) by (nonlinear_arith);
}

} // verus!
