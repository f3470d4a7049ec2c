use vstd::prelude::*;

verus! {

pub uninterp spec fn weight(x: int) -> int;

pub broadcast proof fn weight_bound(x: int)
    ensures
        #[trigger] weight(x) <= 10,
{
    admit();
}

pub proof fn light(x: int)
    requires
        weight(x) <= 10,
    ensures
        weight(x) < 11,
{
}

} // verus!
