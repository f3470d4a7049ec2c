use vstd::prelude::*;

verus! {

pub fn inc(x: u32) -> (r: u32)
    requires
        x < 10,
    ensures
        r == (x + 1) as u32,
{
    x + 1
}

} // verus!
