use vstd::prelude::*;

verus! {

pub trait Cell {
    spec fn full(&self) -> bool;

    fn fill(&self) -> (b: bool)
        ensures
            b ==> self.full(),
    ;
}

pub struct Cup {
    pub ml: u32,
}

impl Cell for Cup {
    open spec fn full(&self) -> bool {
        self.ml >= 250
    }

    fn fill(&self) -> (b: bool) {
        self.ml >= 250
    }
}

} // verus!
