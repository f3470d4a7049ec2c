use vstd::prelude::*;

verus! {

pub struct Log {
    pub lines: Vec<u64>,
}

impl Log {
    pub fn add(&mut self, x: u64)
        ensures
            self.lines@.last() == x,
            self.lines@.len() == old(self).lines@.len() + 1,
    {
        self.lines.push(x);
    }
}

} // verus!
