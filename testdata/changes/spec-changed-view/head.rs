use vstd::prelude::*;

verus! {

pub struct Bag {
    pub items: Vec<u8>,
    pub cap: usize,
}

impl View for Bag {
    type V = Seq<u8>;

    open spec fn view(&self) -> Seq<u8> {
        self.items@.add(self.items@)
    }
}

impl Bag {
    pub fn size(&self) -> (n: usize)
        ensures
            n <= self@.len(),
    {
        self.items.len()
    }
}

} // verus!
