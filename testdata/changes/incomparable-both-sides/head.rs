use vstd::prelude::*;

verus! {

pub fn up(x: i32) -> (r: i32)
    ensures
        r >= 0,
{
    1
}

} // verus!
