use vstd::prelude::*;

verus! {

pub struct Item {
    pub n: u64,
}

pub trait Bounded {
    fn low(&self) -> (r: u8)
        ensures
            r < 9,
    ;
}

} // verus!
