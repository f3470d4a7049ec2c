#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
//! Functions of many types.
use std::rc::Rc;
use std::sync::Arc;
use vstd::prelude::*;

mod geometry;
#[path = "elsewhere.rs"]
mod renamed;

verus! {

pub fn widths(a: u8, b: i8, c: u16, d: i16, e: u32, f: i32, g: u64, h: i64, i: u128, j: i128, k: usize, l: isize)
    -> (r: (u8, i8, u16, i16, (u32, i32, u64, i64), (u128, i128), usize, isize))
{
    (a, b, c, d, (e, f, g, h), (i, j), k, l)
}

pub fn unit() {}

pub fn one(x: (bool,)) -> (bool,) { (!x.0,) }

pub fn texts(a: &str, b: String, c: char) -> (String, usize) {
    let mut s = String::new();
    s.push_str(a);
    s.push_str(&b);
    s.push(c);
    let n = s.len();
    (s, n)
}

pub fn borrowed(s: &str) -> &str { &s[1..] }

pub fn arrays(a: [u8; 3], b: &[[u8; 2]; 2], c: [(); 0]) -> [u8; 4] { [a[2], a[1], b[0][1], b[1][0]] }

pub fn slices(a: &[u8], b: &mut [u8]) -> usize {
    if b.len() > 0 { b[0] = 9; }
    a.len() + b.len()
}

pub fn vectors(a: Vec<Vec<u8>>, b: &Vec<u8>, c: &mut Vec<Option<bool>>) -> Vec<Vec<u8>> {
    let mut out = a;
    out.push(b.clone());
    c.push(None);
    out
}

pub fn pointers(a: Box<u8>, b: Rc<u16>, c: Arc<(u8, bool)>, d: &&u8, e: Box<[u8]>) -> Box<(u8, Rc<u16>)> {
    Box::new((*a + **d + c.0 + e.len() as u8, b))
}

pub fn nested(a: Option<Result<u8, bool>>) -> Result<Option<u8>, Vec<bool>> {
    match a {
        Some(Ok(n)) => Ok(Some(n)),
        Some(Err(b)) => Err(vec![b]),
        None => Ok(None),
    }
}

pub fn swap(a: &mut u8, b: &mut u8) {
    let t = *a;
    *a = *b;
    *b = t;
}

pub fn first_mut(v: &mut Vec<u8>) -> (r: &mut u8)
    requires old(v).len() > 0,
{
    &mut v[0]
}

pub fn wrapped(mut a: u8, (b, c): (u8, u8), _: u8) -> u8 { a = a / 2; a + b + c }

pub fn gives_ghost(x: u8) -> (r: (u8, Ghost<int>)) { (x, Ghost(x as int)) }

pub struct Pair<A, B> { a: A, b: B }

impl<A: Copy, B> Pair<A, B> where B: Copy {
    pub fn flip(self) -> Pair<B, A> { Pair { a: self.b, b: self.a } }
    pub fn left<'a>(&'a self) -> &'a A { &self.a }
    fn set(&mut self, a: A) -> A { let old = self.a; self.a = a; old }
    fn both<C: Copy>(&self, c: C) -> (A, B, C) { (self.a, self.b, c) }
    fn new(a: A, b: B) -> Self { Pair { a, b } }
}

pub fn generic<T: Copy + PartialEq, U>(v: &Vec<T>, x: T, u: U) -> (usize, U) {
    let mut i = 0;
    while i < v.len() {
        if v[i] == x { return (i, u); }
        i = i + 1;
    }
    (v.len(), u)
}

pub enum Tree { Leaf, Node { left: Box<Tree>, value: u8, right: Box<Tree> } }

impl Tree {
    pub fn size(&self) -> u8 {
        match self {
            Tree::Leaf => 0,
            Tree::Node { left, value: _, right } => left.size() + 1 + right.size(),
        }
    }
    pub fn insert(&mut self, x: u8) {
        match self {
            Tree::Leaf => { *self = Tree::Node { left: Box::new(Tree::Leaf), value: x, right: Box::new(Tree::Leaf) }; }
            Tree::Node { left, value, right } => if x < *value { left.insert(x) } else { right.insert(x) },
        }
    }
}

pub struct Marker;
pub struct Wrap(u8, Ghost<int>);

impl Wrap {
    pub fn inner(&self, _m: Marker) -> Wrap { Wrap(self.0, Ghost(0)) }
}

pub trait Shape {
    fn area(&self) -> u32;
    fn twice(&self) -> u32 { self.area() * 2 }
}

pub struct Square { side: u8 }

impl Shape for Square {
    fn area(&self) -> u32 { self.side as u32 * self.side as u32 }
}

impl Square {
    pub const fn grown(&self, by: u8) -> Square { Square { side: self.side + by } }
}

pub unsafe fn not_safe(x: u8) -> u8 { x }

#[verifier::external_body]
pub extern "C" fn of_c(x: u8) -> u8 { x ^ 1 }

pub fn set_them(v: &mut Vec<u8>, i: usize) -> u8 {
    v.set(i, 7);
    let mut x = 8;
    v.set_and_swap(0, &mut x);
    *vstd::slice::slice_index_get(v.as_slice(), 0) + x
}

} // verus!

pub fn plain(x: u8) -> u8 { x.wrapping_mul(3) }
