use vstd::prelude::*;

verus! {

pub struct Stack {
    pub data: Vec<u8>,
}

impl Stack {
    pub fn push(&mut self, x: u8)
        ensures
            self.data@ == old(self).data@.push(x),
            self.data@.len() == old(self).data@.len() + 1,
    {
        self.data.push(x);
    }

    pub fn len(&self) -> (n: usize)
        ensures
            n == self.data.len(),
    {
        self.data.len()
    }
}

} // verus!
