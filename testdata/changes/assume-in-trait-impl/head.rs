use vstd::prelude::*;

verus! {

pub trait Ordered {
    spec fn leq(self, other: Self) -> bool;

    proof fn transitive(a: Self, b: Self, c: Self)
        requires
            a.leq(b),
            b.leq(c),
        ensures
            a.leq(c),
    ;
}

pub struct Version {
    pub major: nat,
    pub minor: nat,
}

impl Ordered for Version {
    open spec fn leq(self, other: Self) -> bool {
        self.major < other.major || (self.major == other.major && self.minor <= other.minor)
    }

    proof fn transitive(a: Self, b: Self, c: Self) {
        assume(a.leq(c));
    }
}

} // verus!
