use vstd::prelude::*;

verus! {

pub axiom fn axiom_width(x: u64)
    ensures
        x <= 0xffff_ffff_ffff_ffff,
;

pub proof fn lemma_width(x: u64)
    ensures
        x / 2 <= 0x7fff_ffff_ffff_ffff,
{
    axiom_width(x);
}

pub broadcast proof fn lemma_shown(x: u64)
    ensures
        #[trigger] (x & 1) <= x,
{
    axiom_width(x);
}

} // verus!
