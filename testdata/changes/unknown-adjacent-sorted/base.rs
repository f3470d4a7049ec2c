use vstd::prelude::*;

verus! {

pub fn is_sorted(v: &Vec<u32>) -> (b: bool)
    ensures
        b <==> forall|i: int, j: int| 0 <= i <= j < v.len() ==> v[i] <= v[j],
{
    let mut k: usize = 1;
    while k < v.len()
        invariant
            1 <= k,
            k <= v.len() || v.len() == 0,
            forall|i: int, j: int| 0 <= i <= j < k && j < v.len() ==> v[i] <= v[j],
        decreases v.len() - k,
    {
        if v[k] < v[k - 1] {
            return false;
        }
        k = k + 1;
    }
    true
}

} // verus!
