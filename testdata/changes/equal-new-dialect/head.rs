use vstd::prelude::*;

verus! {

pub fn refill(x: &mut u32, cap: Option<u32>) -> (done: bool)
    requires
        cap is Some,
        *old(x) <= cap->0,
    ensures
        *final(x) == cap->0,
        done,
{
    *x = cap.unwrap();
    true
}

} // verus!
