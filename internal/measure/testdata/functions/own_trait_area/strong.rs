use vstd::prelude::*;

verus! {

pub trait Area {
    spec fn spec_area(&self) -> int;

    /// The area.
    fn area(&self) -> (r: u32)
        ensures
            r == self.spec_area(),
    ;
}

pub struct Plot {
    pub w: u8,
    pub h: u8,
}

impl Area for Plot {
    open spec fn spec_area(&self) -> int {
        self.w * self.h
    }

    fn area(&self) -> (r: u32) {
        proof {
            let (w, h) = (self.w as int, self.h as int);
            assert(0 <= w * h <= 255 * 255) by (nonlinear_arith)
                requires
                    0 <= w <= 255,
                    0 <= h <= 255,
            ;
        }
        self.w as u32 * self.h as u32
    }
}

} // verus!
