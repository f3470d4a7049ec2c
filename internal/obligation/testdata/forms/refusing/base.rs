use vstd::prelude::*;

verus! {

pub struct P { pub x: u32 }

pub fn in_option(o: Option<&mut u32>) ensures true { }

pub fn gives_reference(p: &mut P) -> (r: &mut u32) ensures *r == old(p).x { &mut p.x }

pub fn never() -> ! ensures false { loop { } }

pub async fn later(x: u32) -> (r: u32) ensures r == x { x }

pub fn taken_apart(P { x }: &mut P) -> (r: u32) ensures r == 1 { 1 }

pub fn prophecy(x: &mut u32) -> (r: u32) ensures has_resolved(x), r == 1 { 1 }

pub fn alias(Ghost(g): G) -> (r: u32) ensures r == g { 1 }

pub fn rebound(x: &mut u32) -> (r: u32) ensures ({ let x = r; x == 1 }) { 1 }

pub fn in_macro(x: &mut u32) -> (r: u32) ensures my!(P { x: *x }) == r { 1 }

pub fn nested() -> (r: u32) ensures r == 1 {
    fn inner() -> (r: u32) ensures r == 2 { 2 }
    1
}

pub fn types(x: u32) -> (r: u32) ensures r == x { x }

pub fn bounds<T>(x: u32, t: T) -> (r: u32) ensures r == x { x }

pub fn no_contract(x: u32) -> (r: u32) { x }

pub fn nothing(x: u32) ensures x >= 0 { }

pub mod a { use vstd::prelude::*; verus! { pub open spec fn ok(x: u32) -> bool { x < 5 } } }
pub mod b { use vstd::prelude::*; verus! { pub open spec fn ok(x: u32) -> bool { x < 9 } } }

pub mod user {
    use vstd::prelude::*;
    use super::a::ok;
    verus! {
        pub fn other_meaning(x: u32) -> (r: u32) ensures ok(r) { 1 }
    }
}

}
