use vstd::prelude::*;

verus! {

pub fn take(balance: u32, amount: u32) -> (rest: u32)
    requires
        amount <= balance,
        false,
    ensures
        rest == balance - amount,
{
    balance - amount
}

} // verus!
