use vstd::prelude::*;

verus! {

pub fn round_up(x: u32) -> (r: u32)
    requires
        x < 1000,
    ensures
        r > x,
{
    x + 1
}

} // verus!
