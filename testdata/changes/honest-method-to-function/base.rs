use vstd::prelude::*;

pub mod state {
use vstd::prelude::*;

verus! {

pub struct Vars {
    pub x: nat,
    pub y: nat,
}

impl Vars {
    pub open spec fn inv(self) -> bool {
        self.x < self.y
    }

    pub proof fn lemma_inv(self, other: Vars)
        requires
            self.inv(),
            other.x < self.x,
        ensures
            other.x < self.y,
            self.inv(),
    {
    }
}

} // verus!
}
use state::*;

verus! {

pub fn next(x: u64) -> (r: u64)
    requires
        x < 10,
    ensures
        r == x + 1,
{
    x + 1
}

} // verus!
