use vstd::prelude::*;

mod facts;

use facts::*;

verus! {

pub fn half(x: u64) -> (r: u64)
    ensures
        r <= 0x7fff_ffff_ffff_ffff,
{
    proof {
        lemma_width(x);
    }
    x / 2
}

pub fn low(x: u64) -> (r: u64)
    ensures
        r <= x,
{
    broadcast use lemma_shown;

    x & 1
}

pub fn quarter(x: u64) -> (r: u64)
    ensures
        r <= 0x7fff_ffff_ffff_ffff,
{
    proof {
        lemma_width(x);
    }
    x / 2 / 2
}

} // verus!
