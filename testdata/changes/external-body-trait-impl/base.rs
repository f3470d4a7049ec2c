use vstd::prelude::*;

verus! {

pub trait Shape {
    spec fn sides(&self) -> nat;

    fn count(&self) -> (n: u32)
        ensures
            n == self.sides(),
    ;
}

pub struct Square;

pub struct Triangle;

impl Shape for Square {
    open spec fn sides(&self) -> nat {
        4
    }

    fn count(&self) -> (n: u32) {
        4
    }
}

impl Shape for Triangle {
    open spec fn sides(&self) -> nat {
        3
    }

    fn count(&self) -> (n: u32) {
        3
    }
}

} // verus!
