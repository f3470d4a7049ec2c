use vstd::prelude::*;

verus! {

pub fn clip(x: u32, top: u32) -> (r: u32)
    recommends
        r <= top,
    ensures
        r <= x,
{
    if x < top { x } else { top }
}

} // verus!
