use vstd::prelude::*;

verus! {

// TODO: drop the external_body below
/// Adds one.
pub fn inc(x: u8) -> (r: u8)
    requires
        x < 255,
    ensures
        r == x + 1,
{
    x + 1
}

} // verus!
