use vstd::prelude::*;

verus! {

pub struct Even {
    n: u32,
}

impl Even {
    #[verifier::type_invariant]
    spec fn inv(self) -> bool {
        self.n < 1000
    }

    pub fn get(&self) -> (r: u32)
        ensures
            self.inv(),
            r == self.n,
    {
        self.n
    }
}

} // verus!
