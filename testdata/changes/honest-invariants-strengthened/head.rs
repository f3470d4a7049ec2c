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
            1 <= k <= v.len(),
            m < k,
            m < v.len(),
            forall|j: int| 0 <= j < k ==> v[j] <= v[m as int],
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
