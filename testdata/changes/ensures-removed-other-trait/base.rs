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

impl Sure for One {
    fn size(&self) -> (r: u64) {
        1
    }
}

pub struct Two;

impl Sure for Two {
    fn size(&self) -> (r: u64) {
        2
    }
}

} // verus!
