use vstd::prelude::*;

verus! {

pub trait Monoid: Sized {
    spec fn op(self, other: Self) -> Self;

    proof fn assoc(a: Self, b: Self, c: Self)
        ensures
            a.op(b).op(c) == a.op(b.op(c)),
    ;
}

pub struct Sum(pub int);

impl Monoid for Sum {
    open spec fn op(self, other: Self) -> Self {
        Sum(self.0 + other.0)
    }

    proof fn assoc(a: Self, b: Self, c: Self) {
    }
}

} // verus!
