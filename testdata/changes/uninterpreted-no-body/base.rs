use vstd::prelude::*;

verus! {

pub struct Log {
    pub entries: Vec<u64>,
}

impl Log {
    pub open spec fn newest(&self) -> u64 {
        self.entries@.last()
    }

    pub fn len(&self) -> (n: usize)
        ensures
            n == self.entries.len(),
    {
        self.entries.len()
    }
}

} // verus!
