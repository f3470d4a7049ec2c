use vstd::prelude::*;

verus! {

pub fn find(v: &Vec<u64>, x: u64) -> (i: usize)
    requires
        v.len() > 0,
    ensures
        i <= v.len(),
{
    0
}

} // verus!
