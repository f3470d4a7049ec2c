#![allow(unused)]
use a::{b as c, self, d::*};
pub(crate) struct S<'a, T: Ord + 'a = u8, const N: usize = 3>(pub &'a T, [T; N]) where T: Copy;
#[derive(Clone)]
enum E { A, B(u8), C { x: Vec<Vec<u8>>, ghost y: int } = 4 }
unsafe impl<T: ?Sized + for<'x> Fn(&'x T) -> u8> Send for S<'_, T> {}
trait Tr: Sized { type A<'a>: B where Self: 'a; const C: u8 = 1; fn f(&mut self) -> impl Iterator<Item = u8> + use<'_>; }
extern "C" { safe fn g(x: *const u8, ...); }
macro_rules! m { ($x:expr) => { assume($x) }; }
broadcast use { a::b, c };
broadcast group g { a, b }
global layout S is size == 8, align == 4;
pub assume_specification<T>[ <Vec<T>>::len ](v: &Vec<T>) -> (n: usize) ensures n == v@.len();
spec const X: int = 3;
pub exec static Y: u8 ensures Y == 1 { 1 }
state_machine! { M { fields { pub x: int } } }
#[verus_spec(r: u8 => requires x > 0 ensures r == x)]
fn attr(x: u8) -> u8 { #[verus_spec(invariant true decreases x)] while true {} proof_with!{ Tracked(a) } x }
