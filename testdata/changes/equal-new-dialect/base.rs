use vstd::prelude::*;

verus! {

pub fn refill(x: &mut u32, cap: Option<u32>) -> (done: bool)
    requires
        cap.is_Some(),
        *old(x) <= cap.get_Some_0(),
    ensures
        *x == cap.get_Some_0(),
        done,
{
    *x = cap.unwrap();
    true
}

} // verus!
