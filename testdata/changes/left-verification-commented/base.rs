use vstd::prelude::*;

verus! {

pub fn pop(v: &mut Vec<u8>) -> (r: Option<u8>)
    ensures
        old(v).len() == 0 ==> r is None,
{
    v.pop()
}

} // verus!
