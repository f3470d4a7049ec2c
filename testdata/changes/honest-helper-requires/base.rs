use vstd::prelude::*;

verus! {

proof fn affirm_it(b: bool)
    requires
        b,
    ensures
        b,
{
}

pub fn half(x: u32) -> (r: u32)
    ensures
        r <= x,
{
    x / 2
}

} // verus!
