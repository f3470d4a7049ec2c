use vstd::prelude::*;

verus! {

pub open spec fn product(r: u32, x: u32, f: u32) -> bool {
    r == x * f
}

pub fn scale(x: u32, f: u32) -> (r: u32)
    requires
        x < 1000,
        f < 1000,
    ensures
        product(r, x, f),
{
    x * f
}

} // verus!
