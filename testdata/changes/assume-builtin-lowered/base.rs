use vstd::prelude::*;

verus! {

pub fn sum2(a: u8, b: u8) -> (r: u16)
    ensures
        r == a + b,
{
    a as u16 + b as u16
}

} // verus!
