use vstd::prelude::*;

verus! {

pub fn front(v: &Vec<u64>) -> (r: u64)
    requires
        v.len() > 0,
    ensures
        r == v@.first(),
{
    v[0]
}

} // verus!
