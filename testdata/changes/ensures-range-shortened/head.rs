use vstd::prelude::*;

verus! {

pub fn partition_point(v: &Vec<u32>, x: u32) -> (p: usize)
    requires
        forall|i: int, j: int| 0 <= i <= j < v.len() ==> v[i] <= v[j],
    ensures
        p <= v.len(),
        forall|i: int| 0 <= i < p ==> v[i] < x,
        forall|i: int| p <= i < v.len() - 1 ==> v[i] >= x,
{
    let mut p: usize = 0;
    while p < v.len() && v[p] < x
        invariant
            p <= v.len(),
            forall|i: int| 0 <= i < p ==> v[i] < x,
        decreases v.len() - p,
    {
        p = p + 1;
    }
    p
}

} // verus!
