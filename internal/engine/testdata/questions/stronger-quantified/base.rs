use vstd::prelude::*;

verus! {

pub fn tops(v: &Vec<u64>) -> (m: u64)
    ensures
        !(exists|x: u64| v@.contains(x) && x > m),
{
    let mut m = 0;
    let mut i = 0;
    while i < v.len()
        invariant
            i <= v.len(),
            forall|j: int| 0 <= j < i ==> v[j] <= m,
            i == 0 ==> m == 0,
            i > 0 ==> exists|j: int| 0 <= j < i && v[j] == m,
        decreases v.len() - i,
    {
        if i == 0 || v[i] > m {
            m = v[i];
        }
        i = i + 1;
        assert(v[i - 1] <= m);
        assert(v[i - 1] == m || exists|j: int| 0 <= j < i - 1 && v[j] == m);
    }
    m
}

} // verus!
