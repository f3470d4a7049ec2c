use vstd::prelude::*;

verus! {

pub struct Stack {
    pub data: Vec<u8>,
}

impl Stack {
    pub fn push(&mut self, x: u8)
        ensures
            final(self).data@.last() == final(self).data@.last(),
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
