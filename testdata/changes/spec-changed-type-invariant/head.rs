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

    pub fn make(k: u32) -> (e: Even)
        requires
            k < 400,
        ensures
            e.inv(),
    {
        Even { n: 2 * k }
    }
}

} // verus!
