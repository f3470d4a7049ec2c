// Covers: crate names and idioms of mid 2025 and before: builtin, builtin_macros, is_Some and get_Some_0, old(x) with bare x in ensures, body-less spec fn, external_body proof fn as axiom, Ghost(@), unwind by external_fn_specification.
#![allow(unused_imports)]
use builtin::*;
use builtin_macros::*;
use vstd::{prelude::*, seq::*};

verus! {

pub spec fn no_body(x: int) -> int;
pub open spec fn both(o: Option<int>) -> bool { o.is_Some() && o.get_Some_0() == 1 && o.is_None() }
fn post(x: &mut u8)
    requires *old(x) < 9
    ensures *x == *old(x) + 1, x@ == old(x)@ + 1,
{
    *x = *x + 1;
}
#[verifier::external_body]
pub proof fn axiom_old() ensures false { }
#[verifier::external_body]
pub broadcast proof fn axiom_broadcast(x: int) ensures #[trigger] no_body(x) > 0 { unimplemented!() }
#[verifier::external_fn_specification]
pub fn ex_swap<T>(a: &mut T, b: &mut T)
    ensures *a == *old(b), *b == *old(a)
    opens_invariants none
    no_unwind
{
    core::mem::swap(a, b)
}
proof fn ghost_mode() {
    let x = builtin::admit();
    vstd::pervasive::assume(true);
}

}

fn main() {}
