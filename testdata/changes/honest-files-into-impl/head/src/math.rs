use vstd::prelude::*;

verus! {

pub struct Math;

impl Math {
    pub fn half(x: u8) -> (r: u8)
        ensures
            r <= x,
    {
        x / 2
    }
}

} // verus!
