use vstd::prelude::*;

verus! {

pub trait Meter {
    spec fn level(&self) -> int;

    fn read(&self) -> (r: u32)
        ensures
            r == self.level(),
    ;

    fn is_low(&self) -> (b: bool)
        ensures
            b == (self.level() < 10),
    {
        assert(true) by {
            assume(self.level() >= 0);
        }
        self.read() < 10
    }
}

} // verus!
