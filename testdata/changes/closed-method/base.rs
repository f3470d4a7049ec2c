use vstd::prelude::*;

verus! {

pub mod m {
    pub struct Q {
        pub n: u8,
    }

    impl Q {
        pub open spec fn inv(&self) -> bool {
            self.n < 3
        }

        pub fn get(&self) -> (r: u8)
            requires
                self.inv(),
            ensures
                r < 3,
        {
            self.n
        }
    }
}

} // verus!
