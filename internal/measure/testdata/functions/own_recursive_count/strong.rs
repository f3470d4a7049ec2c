use vstd::prelude::*;

verus! {

/// How many values of a list are below a bound.
pub open spec fn below(s: Seq<u8>, bound: u8) -> nat
    decreases s.len(),
{
    if s.len() == 0 {
        0
    } else {
        below(s.drop_last(), bound) + if s.last() < bound { 1nat } else { 0 }
    }
}

/// Counts the values of the first `n` places that are below a bound.
pub fn recursive_count(v: &Vec<u8>, n: usize, bound: u8) -> (r: usize)
    requires
        n <= v@.len(),
    ensures
        r == below(v@.take(n as int), bound),
        r <= n,
    decreases n,
{
    if n == 0 {
        return 0;
    }
    let r = recursive_count(v, n - 1, bound);
    proof {
        assert(v@.take(n as int).drop_last() =~= v@.take(n - 1));
    }
    if v[n - 1] < bound {
        r + 1
    } else {
        r
    }
}

} // verus!
