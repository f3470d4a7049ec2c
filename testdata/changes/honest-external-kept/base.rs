use vstd::prelude::*;

verus! {

pub struct Id {
    pub n: u32,
}

#[verifier::external]
impl core::fmt::Display for Id {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}", self.n)
    }
}

pub fn raw(i: &Id) -> (r: u32)
    ensures
        r == i.n,
{
    i.n
}

} // verus!
