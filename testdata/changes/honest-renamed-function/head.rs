use vstd::prelude::*;

verus! {

pub fn inc_saturating(x: u8) -> (r: u8)
    ensures
        x < 255 ==> r == x + 1,
        x == 255 ==> r == 255,
{
    if x < 255 { x + 1 } else { 255 }
}

/// Twice.
pub fn twice(x: u8) -> (r: u16)
    ensures
        r == x + x,
{
    x as u16 + x as u16
}

} // verus!
