use vstd::prelude::*;

verus! {

pub enum Cmd {
    Push(u8),
    Pop,
}

pub struct Point {
    pub x: u32,
    pub y: u32,
}

pub fn cost(c: &Cmd, depth: u32) -> (r: u32)
    requires
        depth < 1000,
    ensures
        r <= depth + 1,
{
    match c {
        Cmd::Push(n) => depth + 1,
        Cmd::Pop => if depth > 0 { depth - 1 } else { 0 },
    }
}

pub fn make(x: u32, y: u32) -> (p: Point)
    ensures
        p.x == x,
        p.y == y,
{
    let p = Point { x: x, y: y };
    return p;
}

fn helper(a: u32, b: u32) -> (r: u32)
    requires
        a < 1000,
        b < 1000,
{
    a + b * 1000
}

} // verus!
