use vstd::prelude::*;

verus! {

pub proof fn lemma_small(x: int)
    requires
        0 <= x < 3
    recommends
        x * x < 9,
{
    assert(x * x < 9) by (nonlinear_arith)
        requires
            0 <= x < 3,
    ;
}

} // verus!
