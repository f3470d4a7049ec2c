use vstd::prelude::*;

verus! {

pub assume_specification[ core::hint::black_box::<u8> ](x: u8) -> (r: u8)
    ensures
        r == x,
;

pub fn shorter(a: &str, b: &str) -> (r: bool)
{
    true
}

} // verus!
