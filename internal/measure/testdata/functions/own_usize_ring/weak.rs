use vstd::prelude::*;

verus! {

/// The index after `i` in a ring of `n` places.
pub fn usize_ring(i: usize, n: usize) -> (r: usize)
    requires
        i < n,
    ensures
        r < n,
{
    if i + 1 == n {
        0
    } else {
        i + 1
    }
}

} // verus!
