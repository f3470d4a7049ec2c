use vstd::prelude::*;
use builtin::*;

verus! {

pub proof fn commutes(a: int, b: int)
    ensures
        a * b == b * a,
{
    assert(a * b == b * a) by (nonlinear_arith);
}

} // verus!
