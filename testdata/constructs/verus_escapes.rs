// Covers: one of each escape spelling (all accepted by the grammar; whether Verus accepts them is another matter). Source: rustc side attribute list of Verus (rust_verify attributes.rs at eb66c53654), vir well_formed.rs; verus-analyzer PR#39.
#![verifier::exec_allows_no_decreases_clause]
#![verifier::assume(externals_available_without_declaration)]
use vstd::prelude::*;
use vstd::pervasive::assume as trust;
use verus_builtin::{admit as give_up, assume_ as believe};

verus! {

proof fn sites(x: int) {
    assume(x > 0);
    admit();
    verus_builtin::admit();
    builtin::admit();
    verus_builtin::assume_(x > 0);
    vstd::pervasive::assume(x > 0);
    ::vstd::pervasive::assume(x > 0);
    trust(x > 0);
    give_up();
    believe(false);
    assert(x > 1) by { assume(x > 1); }
    assert forall|i: int| p(i) by { admit() }
    let f = |y: int| { assume(y > 0); y };
    let t: Tracked<T> = Tracked::assume_new();
    let g = Ghost::<int>::assume_new();
    inline_air_stmt("(assume false)");
}

#[verifier::external_body]
fn a() {}
#[verifier(external_body)]
fn b() {}
#[verus_verify(external_body)]
fn c() {}
#[verus::internal(external_body)]
fn d() {}
#[verifier::external]
fn e() {}
#[verifier(external)]
mod f {}
#[cfg_attr(verus_keep_ghost, verifier::external_body)]
fn g() {}
#[cfg_attr(all(verus_keep_ghost, feature = "x"), verifier::external_body, inline)]
fn h() {}
#[verifier::external_fn_specification]
fn ex_i(x: u8) -> (r: u8) ensures r == x { i(x) }
#[verifier::external_type_specification]
struct ExJ(J);
#[verifier::external_trait_specification(K)]
trait ExK { type ExternalTraitSpecificationFor: K; }
#[verifier::external_trait_private_bound(m::P)]
#[verifier::external_trait_blanket]
trait ExL {}
#[verifier::assume_termination]
fn m() { loop {} }
#[verifier::exec_allows_no_decreases_clause]
fn n() { loop {} }
#[verifier::external_derive(Clone)]
struct O;
#[verifier::when_used_as_spec(spec_p)]
#[verifier::allow_in_spec]
fn p() -> u8 { 1 }
#[verifier::broadcast_use_by_default_when_this_crate_is_imported]
broadcast group q {}
#[verifier::deprecated_postcondition_mut_ref_style(true)]
fn r() {}
#[verifier::rlimit(infinity)]
#[verifier::opaque]
spec fn s() -> bool { true }
axiom fn t() ensures false;
#[verifier::external_body]
broadcast proof fn u() ensures #[trigger] p(), { unimplemented!() }
uninterp spec fn v() -> bool;
assume_specification[ w ]();

}
