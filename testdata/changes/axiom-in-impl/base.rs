use vstd::prelude::*;

verus! {

pub mod ring {
    use super::*;

    pub struct Ring {
        pub head: nat,
        pub len: nat,
    }

    impl Ring {
        pub open spec fn wf(self) -> bool {
            self.head < self.len
        }
    }
}

} // verus!
