use vstd::prelude::*;

verus! {

pub fn round_up(x: u32) -> (r: u32)
    requires
        x < 1000,
    returns
        (x + 1) as u32,
{
    x + 1
}

} // verus!
