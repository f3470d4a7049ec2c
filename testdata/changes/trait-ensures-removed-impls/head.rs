use vstd::prelude::*;

verus! {

pub trait Sized2 {
    fn size(&self) -> (r: u64);
}

pub struct One;

pub struct Two;

impl Sized2 for One {
    fn size(&self) -> (r: u64) {
        1
    }
}

impl Sized2 for Two {
    fn size(&self) -> (r: u64)
        ensures
            r == 2,
    {
        2
    }
}

} // verus!
