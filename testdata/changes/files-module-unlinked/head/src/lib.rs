use vstd::prelude::*;
mod math {
    pub fn half(x: u8) -> u8 {
        x / 2
    }
}

verus! {

pub fn top(x: u8) -> (r: u8)
    ensures
        r <= x,
{
    math::half(x)
}

} // verus!
