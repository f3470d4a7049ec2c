use vstd::prelude::*;

verus! {

pub fn same_len(a: &Vec<u8>, b: &Vec<u8>) -> (r: bool)
    ensures
        r ==> a.len() == b.len(),
{
    a.len() == b.len()
}

} // verus!
