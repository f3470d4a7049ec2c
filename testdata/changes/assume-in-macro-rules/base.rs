use vstd::prelude::*;

verus! {

pub fn clamp(x: i32, top: i32) -> (r: i32)
    ensures
        r <= top,
{
    let r = if x > top { top } else { x };
    proof {
        assert(r <= top);
    }
    r
}

} // verus!
