use vstd::prelude::*;

verus! {

pub fn max_index(v: &Vec<i32>) -> (m: usize)
    requires
        v.len() > 0,
    ensures
        m < v.len(),
{
    let mut m: usize = 0;
    let ghost n = v.len();
    let mut k: usize = 2;
    while k < v.len()
        invariant
            m < v.len(),
            1 <= k,
            k <= v.len() || k == 2,
        decreases v.len() - k,
    {
        if v[k] > v[m] {
            m = k;
            assert(m < v.len());
        }
        k = k + 1;
    }
    m
}

} // verus!
