use vstd::prelude::*;

verus! {

pub fn all_even(v: &Vec<u64>) -> (b: bool)
    ensures
        b ==> forall|i: int| 0 <= i < v.len() ==> v[i] % 2 == 0,
{
    let mut k: usize = 0;
    while k < v.len()
        invariant
            k <= v.len(),
            forall|i: int| 0 <= i < k ==> v[i] % 2 == 0,
        decreases v.len() - k,
    {
        if v[k] % 2 != 0 {
            return false;
        }
        k += 1;
    }
    true
}

} // verus!
