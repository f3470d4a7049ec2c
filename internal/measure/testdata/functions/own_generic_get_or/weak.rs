use vstd::prelude::*;

verus! {

/// The value at an index, or another.
pub fn generic_get_or<T: Copy>(v: &[T], i: usize, other: T) -> (r: T)
    ensures
        i >= v@.len() ==> r == other,
{
    if i < v.len() {
        v[i]
    } else {
        other
    }
}

} // verus!
