use vstd::prelude::*;

verus! {

pub trait Job {
    fn run(&self) -> (n: u32);
}

pub struct Poll {
    pub times: u32,
}

impl Job for Poll {
    fn run(&self) -> (n: u32)
    {
        let mut n = 0;
        while n < self.times
            invariant
                n <= self.times,
            decreases self.times - n,
        {
            n = n + 1;
        }
        n
    }
}

} // verus!
