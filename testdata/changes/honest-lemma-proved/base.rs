use vstd::prelude::*;

verus! {

pub open spec fn total(s: Seq<nat>) -> nat
    decreases s.len(),
{
    if s.len() == 0 { 0 } else { total(s.drop_last()) + s.last() }
}

pub fn is_zero(n: u64) -> (b: bool)
    ensures
        b == (n == 0),
{
    n == 0
}

} // verus!
