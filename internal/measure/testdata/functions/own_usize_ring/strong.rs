use vstd::prelude::*;

verus! {

/// The index after `i` in a ring of `n` places.
pub fn usize_ring(i: usize, n: usize) -> (r: usize)
    requires
        i < n,
    ensures
        i + 1 == n ==> r == 0,
        i + 1 < n ==> r == i + 1,
{
    if i + 1 == n {
        0
    } else {
        i + 1
    }
}

} // verus!
