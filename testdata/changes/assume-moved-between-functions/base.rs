use vstd::prelude::*;

verus! {

pub proof fn a(x: int)
    ensures
        x * x >= 0,
{
    assume(x * x >= 0);
}

pub proof fn b(x: int)
    ensures
        x * x * x * x >= 0,
{
    assert(x * x * x * x >= 0) by (nonlinear_arith);
}

} // verus!
