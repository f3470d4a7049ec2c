use vstd::prelude::*;

verus! {

pub struct Grid {
    pub cells: Vec<u8>,
}

impl Grid {
    pub fn put(&mut self, i: usize, c: u8)
        requires
            i < old(self).cells.len(),
        ensures
            self.cells@.len() == old(self).cells@.len(),
            self.cells@[i as int] == c,
            forall|j: int| 0 <= j < self.cells@.len() && j != i ==> self.cells@[j] == old(self).cells@[j],
    {
        self.cells.set(i, c);
    }
}

} // verus!
