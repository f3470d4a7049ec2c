use vstd::prelude::*;

verus! {

pub mod m {
    use super::*;

    #[derive(PartialEq, Eq)]
    pub enum Level {
        Low,
        High,
    }
}

} // verus!
