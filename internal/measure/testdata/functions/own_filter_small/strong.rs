use vstd::prelude::*;

verus! {

/// The values below a bound, in their order.
pub fn filter_small(v: &Vec<u8>, bound: u8) -> (r: Vec<u8>)
    ensures
        r@ == v@.filter(|x: u8| x < bound),
{
    let mut r: Vec<u8> = Vec::new();
    let mut i: usize = 0;
    let ghost p = |x: u8| x < bound;
    proof {
        reveal(Seq::filter);
        assert(v@.take(0).filter(p) =~= Seq::<u8>::empty());
    }
    while i < v.len()
        invariant
            i <= v.len(),
            p == (|x: u8| x < bound),
            r@ == v@.take(i as int).filter(p),
            forall|k: int| 0 <= k < r@.len() ==> r@[k] < bound,
        decreases v.len() - i,
    {
        proof {
            reveal(Seq::filter);
            assert(v@.take(i + 1).drop_last() =~= v@.take(i as int));
        }
        if v[i] < bound {
            r.push(v[i]);
        }
        i += 1;
    }
    assert(v@.take(i as int) =~= v@);
    r
}

} // verus!
