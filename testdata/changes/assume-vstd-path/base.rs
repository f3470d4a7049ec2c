use vstd::prelude::*;

verus! {

pub proof fn square_is_positive(x: int)
    requires
        x != 0,
    ensures
        x * x > 0,
{
    assert(x * x > 0) by (nonlinear_arith)
        requires
            x != 0,
    ;
}

} // verus!
