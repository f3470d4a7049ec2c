// Covers: attributes of the form #[verifier(x)], pre-#[verifier::x]. Still accepted by the grammar of today and deprecated.
use vstd::prelude::*;

verus! {

#[verifier(external_body)]
fn a() -> (r: u8) ensures r == 1 { 1 }
#[verifier(external)]
fn b() {}
#[verifier(opaque)]
spec fn c() -> bool { true }
#[verifier(inline)]
pub open spec fn d() -> bool { true }
#[verifier(external_type_specification)]
struct ExE(E);
#[verifier(strictly_positive(T), maybe_negative(U))]
struct F<T, U> { t: T, u: U }
#[verifier(decreases_by)]
proof fn g() {}
#[verifier(spinoff_prover)]
#[verifier(rlimit(20))]
fn h() {}
#[spec]
#[verifier(publish)]
fn i() -> bool { true }

}
