use vstd::prelude::*;

verus! {

pub fn uniform(v: &Vec<u8>) -> (b: bool)
    ensures
        b ==> forall|i: int| 0 <= i < v.len() ==> forall|j: int| 0 <= j < v.len() ==> v[i] == v[j],
{
    false
}

} // verus!
