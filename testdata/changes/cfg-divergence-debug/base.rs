use vstd::prelude::*;

verus! {

pub fn idx(v: &Vec<u8>, i: usize) -> (r: u8)
    ensures
        i < v.len() ==> r == v[i as int],
{
    if i < v.len() { v[i] } else { 0 }
}

} // verus!
