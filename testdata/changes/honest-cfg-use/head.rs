#![cfg_attr(not(verus_only), allow(unused_imports))]
use vstd::prelude::*;
#[cfg(verus_only)]
use vstd::arithmetic::mul::*;
#[cfg(verus_keep_ghost)]
use vstd::seq_lib::*;

verus! {

pub fn saturating_inc(x: u8) -> (r: u8)
    ensures
        x < 255 ==> r == x + 1,
        x == 255 ==> r == 255,
{
    if x < 255 { x + 1 } else { 255 }
}

#[cfg_attr(not(verus_keep_ghost), inline)]
pub fn twice(x: u8) -> (r: u16)
    ensures
        r == x + x,
{
    x as u16 + x as u16
}

} // verus!

#[cfg(test)]
mod tests {
    use super::*;
}
