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
        s matches Shape::Square { side } ==> if side < 128 { r == Some(Shape::Rect { w: (side * 2) as u8, h: side }) } else { r is None },
        s is Rect ==> if s->w < 128 { r == Some(Shape::Rect { w: (s->w * 2) as u8, h: s->Rect_h }) } else { r is None },
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
