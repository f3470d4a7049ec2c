use vstd::prelude::*;

verus! {

pub fn lookup(v: &Vec<u32>, k: u32) -> (r: usize)
    requires
        exists|i: int| 0 <= i < v.len() && v[i] == k,
        v.len() > 0 && v[0] == k,
    ensures
        r < v.len(),
        v[r as int] == k,
{
    let mut i: usize = 0;
    while v[i] != k
        invariant
            i < v.len(),
            exists|j: int| i <= j < v.len() && v[j] == k,
        decreases v.len() - i,
    {
        i = i + 1;
    }
    i
}

} // verus!
