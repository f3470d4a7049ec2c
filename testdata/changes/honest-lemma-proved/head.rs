use vstd::prelude::*;

verus! {

pub open spec fn total(s: Seq<nat>) -> nat
    decreases s.len(),
{
    if s.len() == 0 { 0 } else { total(s.drop_last()) + s.last() }
}

pub proof fn lemma_total_push(s: Seq<nat>, x: nat)
    ensures
        total(s.push(x)) == total(s) + x,
{
    assert(s.push(x).drop_last() =~= s);
}

pub fn is_zero(n: u64) -> (b: bool)
    ensures
        b == (n == 0),
{
    proof {
        lemma_total_push(Seq::empty(), n as nat);
    }
    n == 0
}

} // verus!
