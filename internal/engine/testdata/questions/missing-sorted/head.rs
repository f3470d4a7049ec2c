use vstd::prelude::*;

verus! {

pub open spec fn sorted(s: Seq<u64>) -> bool {
    forall|i: int, j: int| 0 <= i < j < s.len() ==> s[i] <= s[j]
}

#[verifier::external_body]
pub fn sort(v: &mut Vec<u64>)
    ensures
        forall|i: int, j: int| 0 <= i < v@.len() && j == i + 1 && j < v@.len() ==> v@[i] <= v@[j],
{
    v.sort()
}

pub proof fn checked()
    ensures
        1 + 1 == 2int,
{
}

} // verus!
