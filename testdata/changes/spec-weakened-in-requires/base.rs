use vstd::prelude::*;

verus! {

pub open spec fn in_range(x: u32) -> bool {
    x < 10 && x != 3
}

pub fn low(x: u32) -> (r: u32)
    requires
        in_range(x),
    ensures
        r <= x,
{
    0
}

} // verus!
