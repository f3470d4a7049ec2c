use vstd::prelude::*;

verus! {

pub fn enter(adult: bool, with_parent: bool) -> (b: bool)
    requires
        adult || with_parent,
    ensures
        b,
{
    true
}

} // verus!
