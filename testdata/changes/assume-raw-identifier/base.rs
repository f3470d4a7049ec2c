use vstd::prelude::*;

verus! {

pub proof fn halves(x: nat)
    ensures
        x / 2 + x / 2 <= x,
{
}

} // verus!
