use vstd::prelude::*;
include!("lemmas.in");

verus! {

pub fn half(x: u8) -> (r: u8)
    ensures
        r <= x,
{
    proof {
        lemma_half(x as int);
    }
    x / 2
}

} // verus!
