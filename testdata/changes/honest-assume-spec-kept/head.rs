use vstd::prelude::*;

verus! {

mod specs {
    use super::*;

    pub assume_specification[ core::hint::black_box::<u8> ](x: u8) -> (same: u8)
        ensures same == x;

    pub assume_specification<T>[ core::mem::swap::<T> ](a: &mut T, b: &mut T)
        ensures
            *final(a) == *old(b),
            *final(b) == *old(a),
        opens_invariants none
        no_unwind
    ;
}

} // verus!
