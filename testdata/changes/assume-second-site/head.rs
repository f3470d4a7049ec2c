use vstd::prelude::*;

verus! {

pub fn pick(v: &Vec<u8>, i: usize, j: usize) -> (r: u8)
    requires
        i < v.len(),
{
    assume(j < v.len());
    assume(i != j);
    if v[i] > v[j] {
        v[i]
    } else {
        v[j]
    }
}

} // verus!
