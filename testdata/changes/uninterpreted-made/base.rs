use vstd::prelude::*;

verus! {

pub open spec fn is_even(x: int) -> bool {
    x % 2 == 0
}

pub fn double(x: u32) -> (r: u32)
    requires
        x < 1000,
    ensures
        is_even(r as int),
        r >= x,
{
    x + x
}

} // verus!
