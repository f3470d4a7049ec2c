use vstd::prelude::*;

verus! {

pub fn sub_or_zero(a: u32, b: u32) -> (r: u32)
    requires
        a < 1000,
        b < 1000,
    ensures
        r <= a,
{
    if a > b { a - b } else { 0 }
}

} // verus!
