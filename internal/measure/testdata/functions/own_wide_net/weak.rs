use vstd::prelude::*;

verus! {

/// What is left of an amount, which may be a debt.
pub fn wide_net(a: u64, b: u64) -> (r: i128)
    ensures
        r >= 0 <==> a >= b,
{
    a as i128 - b as i128
}

} // verus!
