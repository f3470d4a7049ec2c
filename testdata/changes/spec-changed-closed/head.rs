use vstd::prelude::*;

verus! {

pub mod store {
    use super::*;

    pub struct Store {
        log: Vec<u32>,
    }

    impl Store {
        pub closed spec fn wf(&self) -> bool {
            self.log.len() < 100 || self.log.len() > 200
        }

        pub fn fresh() -> (s: Store)
            ensures
                s.wf(),
        {
            Store { log: Vec::new() }
        }
    }
}

} // verus!
