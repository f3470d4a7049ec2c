use vstd::prelude::*;

verus! {

pub fn pred(x: u32) -> (r: u32)
    requires
        x > 0,
    ensures
        r + 1 == x,
{
    x - 1
}

} // verus!
