use vstd::prelude::*;

verus! {

pub trait Monoid: Sized {
    spec fn op(self, other: Self) -> Self;
}

pub struct Sum(pub int);

impl Monoid for Sum {
    open spec fn op(self, other: Self) -> Self {
        Sum(self.0 + other.0)
    }
}

} // verus!
