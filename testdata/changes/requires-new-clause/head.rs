use vstd::prelude::*;

verus! {

pub fn take(balance: u32, amount: u32) -> (rest: u32)
    requires
        amount <= balance,
        amount > 0,
    ensures
        rest == balance - amount,
{
    balance - amount
}

} // verus!
