use vstd::prelude::*;

verus! {

/// How often a value occurs.
pub fn multiset_count(v: &Vec<u8>, x: u8) -> (r: usize)
    ensures
        r <= v@.len(),
{
    let mut n: usize = 0;
    let mut i: usize = 0;
    proof {
        broadcast use vstd::seq_lib::group_to_multiset_ensures;
        assert(v@.take(0) =~= Seq::<u8>::empty());
        assert(v@.take(0).to_multiset().count(x) == 0);
    }
    while i < v.len()
        invariant
            n <= i <= v.len(),
            n == v@.take(i as int).to_multiset().count(x),
        decreases v.len() - i,
    {
        proof {
            broadcast use vstd::seq_lib::group_to_multiset_ensures;
            assert(v@.take(i + 1) =~= v@.take(i as int).push(v@[i as int]));
        }
        if v[i] == x {
            n += 1;
        }
        i += 1;
    }
    proof {
        assert(v@.take(i as int) =~= v@);
    }
    n
}

} // verus!
