use vstd::prelude::*;

verus! {

pub fn pick(v: &Vec<u64>, x: u64) -> (r: u64)
    requires
        v@.contains(x),
    ensures
        r == x,
{
    x
}

} // verus!
