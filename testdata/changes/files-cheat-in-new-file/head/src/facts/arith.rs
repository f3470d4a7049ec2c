use vstd::prelude::*;

verus! {

pub axiom fn lemma_small(x: u8, y: u8)
    ensures
        x <= y,
;

} // verus!
