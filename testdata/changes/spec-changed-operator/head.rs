use vstd::prelude::*;

verus! {

#[derive(Clone, Copy)]
pub struct Level { pub n: u64 }

impl Level {
    pub open spec fn spec_lt(self, other: Level) -> bool {
        self.n <= other.n
    }
}

pub fn raise(x: Level) -> (r: Level)
    requires
        x.n < 100,
    ensures
        x < r,
{
    Level { n: x.n + 1 }
}

} // verus!
