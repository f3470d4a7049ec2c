use vstd::prelude::*;

verus! {

pub open spec fn sum(s: Seq<u8>) -> int
    decreases s.len(),
{
    if s.len() == 0 { 0 } else { sum(s.drop_last()) + s.last() }
}

pub fn bounded(v: &Vec<u8>) -> (b: bool)
    ensures
        sum(v@) > 100_000 ==> !b,
{
    v.len() < 100
}

} // verus!
