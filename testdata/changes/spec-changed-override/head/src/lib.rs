use vstd::prelude::*;
verus! {
pub trait T { spec fn k(r: u64) -> bool { r > 5 } fn go(&self) -> (r: u64) ensures Self::k(r); }
pub struct A; impl T for A { spec fn k(r: u64) -> bool { true } fn go(&self) -> (r: u64) { 6 } }
}
