use vstd::prelude::*;

verus! {

pub fn raw(i: &Id) -> (r: u32)
    ensures
        r == i.n,
{
    i.n
}

pub struct Id {
    pub n: u32,
}

/// For logs.
#[verifier(external)]
impl core::fmt::Display for Id {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}", self.n)
    }
}

} // verus!
