use vstd::prelude::*;

verus! {

pub fn pick(v: &Vec<u8>, j: usize) -> (r: u8)
{
    assume(j < v.len());
    v[j]
}

} // verus!
