use vstd::prelude::*;

verus! {

pub struct Role {
    pub assumed: bool,
}

pub fn may_enter(r: &Role) -> (b: bool)
    ensures
        b == r.assumed,
{
    r.assumed
}

} // verus!
