use vstd::prelude::*;

verus! {

pub fn max_index(v: &Vec<i32>) -> (m: usize)
    requires
        v.len() > 0,
    ensures
        m < v.len(),
{
    let mut m: usize = 0;
    let mut k: usize = v.len();
    while k > 1
        invariant
            m < v.len(),
            1 <= k <= v.len(),
        decreases k,
    {
        k = k - 1;
        if v[k] > v[m] {
            m = k;
        }
    }
    m
}

} // verus!
