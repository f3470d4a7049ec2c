use vstd::prelude::*;

verus! {

pub const LIMIT: u32 = 1000;

pub fn limited(x: u32) -> (r: u32)
{
    if x < LIMIT { x } else { LIMIT }
}

} // verus!
