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
            self.cells@ == old(self).cells@.update(i as int, c),
    {
        self.cells.set(i, c);
    }
}

} // verus!
