use vstd::prelude::*;

verus! {

pub open spec fn small(x: u32) -> bool {
    x < 1000
}

pub fn square(x: u32) -> (r: u32)
    requires
        small(x),
    ensures
        r == x * x,
{
    x * x
}

} // verus!
