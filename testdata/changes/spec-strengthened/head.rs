use vstd::prelude::*;

verus! {

pub open spec fn sorted(s: Seq<u32>) -> bool {
    forall|i: int, j: int| 0 <= i <= j < s.len() ==> s[i] <= s[j]
}

pub open spec fn good_merge(a: Seq<u32>, b: Seq<u32>, r: Seq<u32>) -> bool {
    &&& sorted(r)
    &&& r.len() == a.len() + b.len()
    &&& forall|x: u32| a.contains(x) ==> r.contains(x)
}

pub open spec fn lonely(x: int) -> bool {
    x > 3
}

#[verifier::external_body]
pub fn merge(a: &Vec<u32>, b: &Vec<u32>) -> (r: Vec<u32>)
    requires
        a.len() < 1000,
        b.len() < 1000,
    ensures
        good_merge(a@, b@, r@),
{
    let mut r = a.clone();
    r.extend_from_slice(b);
    r.sort();
    r
}

} // verus!
