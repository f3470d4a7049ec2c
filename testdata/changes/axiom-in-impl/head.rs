use vstd::prelude::*;

verus! {

pub mod ring {
    use super::*;

    pub struct Ring {
        pub head: nat,
        pub len: nat,
    }

    impl Ring {
        #[verifier(external_body)]
        pub proof fn wf_always(self)
            ensures
                self.wf(),
        {
        }

        pub open spec fn wf(self) -> bool {
            self.head < self.len
        }
    }
}

} // verus!
