use vstd::prelude::*;

verus! {

pub fn limit(x: u32) -> (r: u32)
    ensures
        r <= 10,
{
    if x > 10 { 10 } else { x }
}

} // verus!
