use vstd::prelude::*;

verus! {

mod facts {
}

pub proof fn step_down(n: nat)
    requires
        n > 0,
    ensures
        n - 1 >= 0,
{
    assert(n - 1 >= 0);
}

} // verus!
