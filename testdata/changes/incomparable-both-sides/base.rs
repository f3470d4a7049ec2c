use vstd::prelude::*;

verus! {

pub fn up(x: i32) -> (r: i32)
    requires
        x > 0,
    ensures
        r > 0,
{
    1
}

} // verus!
