// Covers: function modes, publish forms, qualifier order, parameters, return forms, receivers. Source: verus-facts section "Grammar" (verus_syn item.rs); verusfmt#136 (open(crate)); verusfmt CHANGELOG (axiom fn, uninterp, spec(checked), tracked '&a self, return patterns in signature).
use vstd::prelude::*;

verus! {

spec fn plain(x: int) -> int { x }
pub open spec fn a(x: int) -> int { x }
pub closed spec fn b(x: int) -> int { x }
pub open(crate) spec fn c(x: int) -> int { x }
pub open(super) spec fn d(x: int) -> int { x }
pub open(self) spec fn d2(x: int) -> int { x }
pub open(in crate::m) spec fn e(x: int) -> int { x }
pub uninterp spec fn f(x: int) -> int;
uninterp spec fn g(x: int) -> int;
spec(checked) fn h(x: int) -> int { x }
pub open spec(checked) fn i(x: int) -> int { x }
pub(crate) open spec fn i2(x: int) -> int { x }
proof fn j() {}
pub broadcast proof fn k(x: int) ensures #[trigger] a(x) == x {}
axiom fn l() ensures false;
pub axiom fn m(x: int) ensures x == x;
pub broadcast axiom fn n(x: int) ensures #[trigger] f(x) == x;
exec fn o() {}
pub const exec fn p() -> u8 { 1 }
pub const fn q() -> u8 { 1 }
pub const unsafe extern "C" fn q2() -> u8 { 1 }
async fn r() -> u8 { 1 }
unsafe fn s() {}
unsafe extern "C" fn t() {}
const spec fn u() -> int { 1 }

spec const LIMIT: int = 10;
pub open spec const LIMIT2: int = 10;
exec const SIZE: usize ensures SIZE == 4 { 4 }
pub exec static GLOBAL: u8 ensures true { 3 }
const BOTH: u8 = 1;
static OTHER: u8 = 1;

ghost struct Gh { pub ghost x: int, tracked y: T, exec z: u8, w: u8 }
tracked struct Tr(pub ghost int, tracked T, u8);
pub tracked enum Te { A { ghost x: int }, B(tracked T) }
exec struct Ex { ghost: u8, tracked: u8, exec: u8 }
pub ghost enum Ge { A, B }

proof fn params(tracked a: A, b: int, tracked &self_like: T) {}
proof fn mixed(x: int, tracked y: &mut Y, tracked (z): Z) -> tracked T { y }
proof fn named_tracked(tracked x: X) -> (tracked r: X) { x }
proof fn tuple_result() -> (tracked (p, q): (Tracked<A>, Ghost<B>)) { x }
fn ghost_args(Ghost(g): Ghost<int>, Tracked(t): Tracked<&mut T>, Tracked(mut u): Tracked<U>, x: u8) {}
fn named() -> (r: u8) { 1 }
fn pattern_result() -> ((x, y): (u8, u8)) ensures x == y { (1, 1) }
fn pattern_result2() -> ((Ghost(x), Tracked(y)): (Ghost<int>, Tracked<T>)) { z }
fn struct_pattern() -> (r: Point<u8>) { p }
fn tuple_type() -> (u8, u8) { (1, 2) }
fn paren_type() -> (u8) { 1 }
fn unit() -> () {}
fn named_unit() -> (r: ()) {}
fn impl_result() -> (r: impl Fn(u8) -> u8) { |x: u8| x }
fn never() -> ! { loop {} }
fn no_return();

impl S {
    proof fn a(tracked self) {}
    proof fn b(tracked &self) {}
    proof fn c<'a>(tracked &'a self) {}
    proof fn d(tracked &mut self) {}
    proof fn e(tracked self: &Self) {}
    spec fn f(self) -> int { 1 }
    spec fn g(&self) -> int;
    fn h(self: &mut Self) -> (r: Self) { self }
    pub open spec fn i(&self) -> bool;
    pub const fn j(&self) -> u8 { 1 }
}

}
