use vstd::prelude::*;
mod math;

verus! {

pub fn top(x: u8) -> (r: u8)
    ensures
        r <= x,
{
    math::half(x)
}

} // verus!
