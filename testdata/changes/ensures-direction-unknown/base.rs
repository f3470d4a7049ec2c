use vstd::prelude::*;

verus! {

pub open spec fn sum_front(s: Seq<u8>) -> nat
    decreases s.len(),
{
    if s.len() == 0 { 0 } else { s[0] as nat + sum_front(s.drop_first()) }
}

pub open spec fn sum_back(s: Seq<u8>) -> nat
    decreases s.len(),
{
    if s.len() == 0 { 0 } else { sum_back(s.drop_last()) + s.last() as nat }
}

#[verifier::external_body]
pub fn sum(v: &Vec<u8>) -> (r: u64)
    ensures
        r == sum_front(v@),
{
    v.iter().map(|x| *x as u64).sum()
}

} // verus!
