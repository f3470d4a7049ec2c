use vstd::prelude::*;

verus! {

/// A span within a page.
pub struct Span {
    lo: u8,
    hi: u8,
}

impl Span {
    #[verifier::type_invariant]
    spec fn inv(self) -> bool {
        self.lo <= self.hi
    }

    pub closed spec fn low(&self) -> u8 {
        self.lo
    }

    pub closed spec fn high(&self) -> u8 {
        self.hi
    }

    /// A span, if its ends are in order.
    pub fn new(lo: u8, hi: u8) -> (r: Option<Span>)
        ensures
            r is Some <==> lo <= hi,
            r matches Some(s) ==> s.low() == lo && s.high() == hi,
    {
        if lo <= hi {
            Some(Span { lo, hi })
        } else {
            None
        }
    }

    /// The length of a span.
    pub fn length(&self) -> (r: u8)
        ensures
            r == self.high() - self.low(),
    {
        proof {
            use_type_invariant(self);
        }
        self.hi - self.lo
    }
}

} // verus!
