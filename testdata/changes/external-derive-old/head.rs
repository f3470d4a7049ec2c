use vstd::prelude::*;

verus! {

pub mod m {
    use super::*;

    #[verifier(external_derive)]
    #[derive(PartialEq, Eq)]
    pub enum Level {
        Low,
        High,
    }
}

} // verus!
