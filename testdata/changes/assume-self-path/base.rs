use vstd::prelude::*;

verus! {

mod geometry {
    use super::*;

    pub proof fn area_fits(w: int, h: int)
        requires
            0 <= w < 100,
            0 <= h < 100,
        ensures
            w * h < 10000,
    {
        vstd::arithmetic::mul::lemma_mul_upper_bound(w, 99, h, 99);
    }
}

} // verus!
