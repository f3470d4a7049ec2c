use vstd::prelude::*;
verus! {
pub struct A { x: u64 }
impl A {
#[verifier::type_invariant] spec fn inv(&self) -> bool { self.x > 5 }
pub fn mk(x: u64) -> (a: A) requires x > 5 { A { x } }
pub fn g(&self) -> (r: u64) ensures r == self.x { self.x } }
pub fn u(a: &A) -> (r: u64) ensures r > 1 { 7 }

}
