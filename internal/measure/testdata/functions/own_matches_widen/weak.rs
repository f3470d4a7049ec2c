use vstd::prelude::*;

verus! {

pub enum Shape {
    Dot,
    Square { side: u8 },
    Rect { w: u8, h: u8 },
}

/// A shape with its width doubled.
pub fn matches_widen(s: Shape) -> (r: Option<Shape>)
    ensures
        s is Dot ==> r is None,
        s matches Shape::Square { side } ==> (r is Some <==> side < 128),
        s is Rect ==> (r is Some <==> s->w < 128),
{
    match s {
        Shape::Dot => None,
        Shape::Square { side } => {
            if side < 128 {
                Some(Shape::Rect { w: side * 2, h: side })
            } else {
                None
            }
        },
        Shape::Rect { w, h } => {
            if w < 128 {
                Some(Shape::Rect { w: w * 2, h })
            } else {
                None
            }
        },
    }
}

} // verus!
