use vstd::prelude::*;

verus! {

pub trait Sure {
    fn size(&self) -> (r: u64)
        ensures
            r > 0,
    ;
}

pub trait Unsure {
    fn size(&self) -> (r: u64);
}

pub struct One;

impl Unsure for One {
    fn size(&self) -> (r: u64) {
        1
    }
}

pub struct Two;

impl Two {
    fn size(&self) -> (r: u64) {
        2
    }
}

} // verus!
