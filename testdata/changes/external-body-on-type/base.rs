use vstd::prelude::*;

verus! {

pub struct Pages {
    pub used: Vec<bool>,
}

pub fn page_count(p: &Pages) -> (n: usize)
{
    p.used.len()
}

} // verus!
