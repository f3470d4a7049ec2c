use vstd::prelude::*;

verus! {

pub fn scale(x: u32, f: u32) -> (r: u32)
    requires
        x < 1000,
        f < 1000,
    ensures
        x > 5000 ==> r == x * f,
{
    x * f
}

} // verus!
