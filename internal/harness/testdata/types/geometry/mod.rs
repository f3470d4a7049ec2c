use vstd::prelude::*;

verus! {

pub mod point {
    use super::*;

    #[derive(Clone, Copy)]
    pub(crate) struct Point { pub(in crate::geometry) x: i8, y: i8 }

    impl Point {
        pub(super) fn mirror(self, kind: Kind) -> Point {
            match kind {
                Kind::X => Point { x: -self.x, y: self.y },
                Kind::Y(on) => if on { Point { x: self.x, y: -self.y } } else { self },
            }
        }
    }

    mod deep {
        fn hidden(p: &super::Point) -> i8 { p.y }
    }
}

pub enum Kind { X, Y(bool) }

fn origin_distance(p: &point::Point) -> i8 { p.x }

} // verus!
