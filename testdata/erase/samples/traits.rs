use vstd::prelude::*;

verus! {

pub trait Shape {
    spec fn area_spec(&self) -> int;

    proof fn positive(&self) ensures self.area_spec() >= 0;

    fn area(&self) -> (r: u64)
        requires self.area_spec() < 1000,
        ensures r == self.area_spec(),
    ;

    fn doubled(&self) -> (r: u64)
        requires self.area_spec() < 500,
    {
        proof { self.positive(); }
        self.area() * 2
    }
}

pub struct Rect { pub w: u64, pub h: u64 }

impl Shape for Rect {
    open spec fn area_spec(&self) -> int { self.w * self.h }

    proof fn positive(&self) { assert(self.w * self.h >= 0) by (nonlinear_arith); }

    fn area(&self) -> (r: u64) { self.w * self.h }
}

pub trait SpecOnly { spec fn nothing(&self) -> bool; }

impl SpecOnly for Rect {
    open spec fn nothing(&self) -> bool { true }
}

pub fn generic<S: Shape + SpecOnly>(s: &S) -> u64
    where S: Sized,
    requires s.area_spec() < 500,
{
    s.doubled()
}

}

pub fn run(out: &mut Vec<String>) {
    for (w, h) in [(0, 1), (3, 4)] { out.push(format!("{}", generic(&Rect { w, h }))); }
}
