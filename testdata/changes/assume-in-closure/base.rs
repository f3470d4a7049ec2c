use vstd::prelude::*;

verus! {

pub fn twice(x: u32) -> (r: u32)
    requires
        x < 1000,
    ensures
        r == x + x,
{
    let double = |y: u32| -> (z: u32)
        requires
            y < 1000,
        ensures
            z == y + y,
        {
            y + y
        };
    double(x)
}

} // verus!
