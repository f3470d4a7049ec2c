use vstd::prelude::*;

verus! {

pub uninterp spec fn hash(x: int) -> int;

pub axiom fn hash_injective(x: int, y: int)
    requires
        hash(x) == hash(y),
    ensures
        x == y,
;

} // verus!
