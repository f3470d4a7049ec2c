use vstd::prelude::*;

macro_rules! fits {
    ($x:expr) => { small($x) };
}

verus! {

pub open spec fn small(x: u64) -> bool {
    x < 1000
}

pub fn lower(x: u64) -> (r: u64)
    ensures
        fits!(r),
{
    if x < 1000 { x } else { 999 }
}

} // verus!
