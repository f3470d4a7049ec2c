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
    proof {
        affirm_it(x / 2 <= x);
    }
    x / 2
}

} // verus!
