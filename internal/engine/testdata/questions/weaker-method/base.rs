use vstd::prelude::*;

verus! {

pub struct Log {
    pub lines: Vec<u64>,
}

impl Log {
    pub fn add(&mut self, x: u64)
        ensures
            self.lines@ == old(self).lines@.push(x),
    {
        self.lines.push(x);
    }
}

} // verus!
