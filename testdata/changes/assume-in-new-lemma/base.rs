use vstd::prelude::*;

verus! {

pub fn average(a: u32, b: u32) -> (r: u32)
    requires
        a <= b,
    ensures
        a <= r <= b,
{
    a + (b - a) / 2
}

} // verus!
