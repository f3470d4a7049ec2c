use vstd::prelude::*;

verus! {

pub struct Counter {
    pub n: u32,
}

#[verifier::external]
impl Counter {
    pub fn bump(&mut self)
        requires
            old(self).n < 100,
        ensures
            final(self).n == old(self).n + 1,
    {
        self.n = self.n + 1;
    }
}

} // verus!
