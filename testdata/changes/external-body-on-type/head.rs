use vstd::prelude::*;

verus! {

#[verifier::external_body]
pub struct Pages {
    pub used: Vec<bool>,
}

pub fn page_count(p: &Pages) -> (n: usize)
{
    p.used.len()
}

} // verus!
