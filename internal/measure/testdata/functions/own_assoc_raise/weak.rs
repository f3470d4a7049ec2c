use vstd::prelude::*;

verus! {

pub struct Level {
    pub n: u8,
}

impl Level {
    pub const MAX: u8 = 9;

    /// The next level, up to the highest.
    pub fn assoc_raise(self) -> (r: Level)
        ensures
            r.n <= Self::MAX,
    {
        if self.n < Self::MAX {
            Level { n: self.n + 1 }
        } else {
            Level { n: Self::MAX }
        }
    }
}

} // verus!
