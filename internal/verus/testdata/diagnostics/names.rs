use vstd::prelude::*;

verus! {

#[verifier::custom_err("index out of range, says the author")]
pub fn get(i: u32)
    requires i < 10,
{
}

pub fn user(i: u32) { get(i) }

spec(checked) fn s(x: Seq<int>) -> int { x[3] }

impl Clone for P { fn clone(&self) -> P { P { a: self.a } } }
pub struct P { a: u32 }

trait T { fn t(&self) -> (r: u32) ensures r > 3; }
impl T for u32 { fn t(&self) -> (r: u32) { 4 } }
impl T for [u8] { fn t(&self) -> (r: u32) { 5 } }
impl<A> T for Vec<A> { fn t(&self) -> (r: u32) { 6 } }
impl<A, B> T for (A, B) { fn t(&self) -> (r: u32) { 7 } }
impl T for &P { fn t(&self) -> (r: u32) { 7 } }

mod m { use super::*; impl T for super::P { fn t(&self) -> (r: u32) { 2 } } impl super::P { pub fn own(&self) -> u32 { self.a } } }

} // verus!
