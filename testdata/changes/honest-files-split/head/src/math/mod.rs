use vstd::prelude::*;

verus! {

pub fn half(x: u8) -> (r: u8)
    ensures
        r <= x,
{
    assume(x / 2 <= x);
    x / 2
}

} // verus!
