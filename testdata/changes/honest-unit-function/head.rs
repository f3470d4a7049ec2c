use vstd::prelude::*;

verus! {

pub fn check(x: u8)
    requires
        x < 10,
    ensures
        x < 20,
{
    assert(x < 20);
}

} // verus!
