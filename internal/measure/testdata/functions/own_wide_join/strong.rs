use vstd::prelude::*;

verus! {

/// Two halves in one word.
pub fn wide_join(high: u64, low: u64) -> (r: u128)
    ensures
        r == high as int * 0x1_0000_0000_0000_0000 + low as int,
{
    high as u128 * 0x1_0000_0000_0000_0000 + low as u128
}

} // verus!
