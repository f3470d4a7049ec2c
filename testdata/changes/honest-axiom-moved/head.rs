use vstd::prelude::*;

verus! {

pub uninterp spec fn hash(x: int) -> int;

pub mod table {
    use super::*;

    /// Collision freedom is a hypothesis of the whole design.
    pub axiom fn hash_injective(x: int, y: int)
        requires hash(x) == hash(y),
        ensures x == y,
    ;
}

} // verus!
