use vstd::prelude::*;

verus! {

#[verus_verify(external_derive(Clone))]
#[derive(Clone, Copy)]
pub struct Coord {
    pub x: i32,
    pub y: i32,
}

pub fn origin() -> (c: Coord)
    ensures
        c.x == 0,
        c.y == 0,
{
    Coord { x: 0, y: 0 }
}

} // verus!
