use vstd::prelude::*;
#[path = "vendor/math_fast.rs"]
mod math;

verus! {

pub fn top(x: u8) -> (r: u8)
    ensures
        r <= x,
{
    math::half(x)
}

} // verus!
