use vstd::prelude::*;

verus! {

pub fn take(balance: u32, amount: u32) -> (rest: u32)
    requires
        0 <= amount <= balance,
    ensures
        rest == balance - amount,
{
    balance - amount
}

} // verus!
