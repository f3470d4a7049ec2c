use vstd::prelude::*;

verus! {

pub fn max_index(v: &Vec<i32>) -> (m: usize)
    requires
        v.len() > 0,
    ensures
        m < v.len(),
{
    let mut m: usize = 0;
    let mut k: usize = 1;
    while k < v.len()
        invariant
            m < v.len(),
            1 <= k <= v.len(),
        decreases v.len() - k,
    {
        if v[k] > v[m] {
            m = k;
        }
        k = k + 1;
    }
    m
}

} // verus!
