use vstd::prelude::*;

verus! {

pub fn kept(x: u8) -> (r: u8)
    ensures
        r == x,
{
    x
}

fn swap_bytes(a: u8, b: u8) -> (r: (u8, u8))
{
    (b, a)
}

} // verus!
