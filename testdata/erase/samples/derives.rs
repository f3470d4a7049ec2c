use vstd::prelude::*;

verus! {

#[derive(Structural, PartialEq, Eq, Clone, Debug)]
#[verifier::ext_equal]
pub struct Point { pub x: i32, pub y: i32 }

#[derive(Structural, PartialEq, Eq)]
pub enum Kind { A, B }

#[is_variant]
pub enum Old { One(u8), Two }

pub fn same(p: &Point, q: &Point) -> (b: bool) ensures b == (p == q) { *p == *q }

}

pub fn run(out: &mut Vec<String>) {
    let p = Point { x: 1, y: 2 };
    out.push(format!("{} {}", same(&p, &p.clone()), Kind::A == Kind::B));
    out.push(format!("{}", match Old::One(3) { Old::One(n) => n, Old::Two => 0 }));
}
