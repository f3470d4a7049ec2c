use vstd::prelude::*;

verus! {

pub mod m {
    use super::*;

    pub open spec fn fits(x: int) -> bool {
        0 <= x < 256
    }

    pub open(crate) spec fn magic(x: int) -> int {
        x + 3
    }

    pub fn narrow(x: u32) -> (r: u8)
        requires
            fits(x as int),
        ensures
            r == x,
    {
        x as u8
    }

    pub fn sign(x: u32) -> (r: u32)
        requires
            x < 1000,
        ensures
            r == magic(x as int),
    {
        x + 3
    }
}

} // verus!
