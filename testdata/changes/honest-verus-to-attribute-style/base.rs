use vstd::prelude::*;

verus! {

pub fn plus(a: u32, b: u32) -> (r: u32)
    requires
        a < 1000,
        b < 1000,
    ensures
        r == a + b,
{
    assert(a + b < 2000);
    a + b
}

} // verus!
