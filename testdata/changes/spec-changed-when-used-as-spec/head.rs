use vstd::prelude::*;

verus! {

pub struct Buf {
    pub data: Vec<u8>,
    pub cap: usize,
}

impl Buf {
    pub open spec fn spec_len(&self) -> usize {
        self.data.len()
    }

    pub open spec fn spec_cap(&self) -> usize {
        self.cap
    }

    #[verifier::when_used_as_spec(spec_cap)]
    #[verifier::external_body]
    pub fn len(&self) -> (n: usize)
    {
        self.data.len()
    }
}

pub fn fits(b: &Buf, n: usize) -> (ok: bool)
    ensures
        ok ==> n <= b.len(),
{
    n == 0
}

} // verus!
