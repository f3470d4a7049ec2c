// Covers: broadcast use and group, global size_of and layout, assume_specification in all shapes, spec_fn/proof_fn types, trait features, macros that hold items, Verus attributes on every item. Source: verus_syn item.rs, verus.rs, ty.rs; verusfmt#205 (nested spec_fn), #114 (assume_specification, where, `==> { .. }`), CHANGELOG (assume_specification for consts, broadcast use, const generics, ? and ~ bounds, Foo<T>: Bar<V=..>, [const] bounds); verus-analyzer PR#39 (both global forms, verus as a path in attributes).
#![verifier::loop_isolation(false)]
#![cfg_attr(verus_keep_ghost, verifier::exec_allows_no_decreases_clause)]
use vstd::prelude::*;

verus! {

broadcast use vstd::seq::group_seq_axioms;
broadcast use {vstd::set::group_set_axioms, crate::m::lemma, group_mine};
pub broadcast group group_mine {
    lemma_a,
    crate::m::lemma_b,
    <T as Tr>::lemma_c,
    #[cfg(feature = "x")]
    S::lemma_d,
}
broadcast group empty {}

global size_of usize == 8;
global size_of Foo<u8> == 16;
global layout usize is size == 8;
global layout Foo<u8> is size == 16, align == 8;

pub assume_specification[ external_fn ](x: u8) -> (r: u8);
assume_specification[ m::f ](x: u8) -> u8 requires x > 0;
pub assume_specification<T, A: Allocator>[ Vec::<T, A>::len ](v: &Vec<T, A>) -> (r: usize)
    ensures r == v@.len(),
    opens_invariants none
    no_unwind
;
pub assume_specification<T: Clone, U>[ <Vec<T> as Into<U>>::into ](v: Vec<T>) -> (r: U)
    where
        U: Copy,
    requires
        v.len() > 0,
    ensures
        v.len() > 0 ==> {
            &&& call_ensures(f, (v,), r)
            &&& r == r
        },
        match r { _ => true },
    returns r
    no_unwind when v.len() > 0
;
pub assume_specification[ std::mem::MAX ] -> (r: usize) ensures r == 3;
assume_specification<'a, const N: usize>[ <[u8; N]>::f::<'a> ](x: &'a mut [u8; N], _: u8) -> (tracked r: T);

spec fn types(
    a: spec_fn(int) -> bool,
    b: spec_fn(spec_fn(nat) -> nat) -> nat,
    c: spec_fn() -> (),
    d: spec_fn(a: int, b: int) -> spec_fn(int) -> int,
    e: Ghost<spec_fn(int) -> int>,
    f: proof_fn(int) -> int,
    g: proof_fn[Mut, Copy](tracked T, y: int) -> tracked U,
    h: proof_fn<'a>[Once]() -> (r: int),
    i: Map<int, Seq<Set<nat>>>,
    j: &mut Tracked<&mut T>,
    k: FnSpec(int) -> bool,
    l: [u8; 3],
    m: *mut (dyn Tr),
    n: real,
) -> bool;

trait Tr<V = u8>: Sized + View<V = int> {
    type V: Clone;
    const N: usize;
    spec fn s(&self) -> bool;
    proof fn p(tracked &self);
    fn f(&self) -> (r: Self::V) requires self.s();
    open spec fn defaulted(&self) -> bool { true }
}
impl<T> Tr for Foo<T> where Foo<T>: Bar<V = Seq<T>>, T: ?Sized {
    type V = u8;
    const N: usize = 3;
    open spec fn s(&self) -> bool { true }
    proof fn p(tracked &self) {}
    fn f(&self) -> (r: Self::V) { 1 }
}
impl<T, const N: usize> View for Arr<T, N> {
    type V = Seq<T>;
    uninterp spec fn view(&self) -> Seq<T>;
}
pub const trait Con: [const] Clone { fn f(&self); }
pub const unsafe trait ConU {}
const impl<T: [const] Con + const Clone> Con for Foo<T> where T: [const] Tr { fn f(&self) {} }
spec fn macro_pattern(x: E) -> bool { match x { my_pat!(A | B) => true, n @ C(1 | 2) => n is C, D { a, .. } if a > 0 => true, _ => false } }
impl Foo<3, { 4 + 5 }, -1, true> {}
unsafe impl Send for Foo {}
#[verifier::external]
unsafe impl Sync for Foo {}

#[verifier::external_body]
#[verifier::accept_recursive_types(T)]
#[verifier::reject_recursive_types(U)]
#[verifier::reject_recursive_types_in_ground_variants(V)]
pub struct Opaque<T, U, V> { x: std::marker::PhantomData<(T, U, V)> }
#[verifier::external_type_specification]
#[verifier::external_body]
pub struct ExOpaque(Other);
#[verifier::external_trait_specification]
pub trait ExIter {
    type ExternalTraitSpecificationFor: Iterator;
    fn next(&mut self) -> (r: Option<u8>);
}
#[verifier::external_trait_extension(SpecTr via SpecTrImpl)]
pub trait ExTr { type ExternalTraitSpecificationFor: core::ops::Add; }
#[verifier::external_derive(Debug, Hash)]
#[derive(Debug, Hash)]
struct Derived;
#[verifier::ext_equal]
#[verifier::type_invariant]
#[verifier::opaque]
#[verifier::inline]
#[verifier::rlimit(100)]
#[verifier::rlimit(infinity)]
#[verifier::spinoff_prover]
#[verifier::auto_ext_equal(assert, assert_by, ensures, invariant)]
#[verus::trusted]
#[verus::internal(x)]
#[verus::line_count::ignore]
#[verifier::assume(externals_available_without_declaration)]
#[cfg(not(verus_keep_ghost))]
#[cfg_attr(verus_only, verifier::external_body)]
#[doc = "text"]
#[doc(hidden)]
#[vstd::contrib::auto_spec]
#[r#type]
#[a::b::c(d = 1, "e", f(g), { h })]
#[a = concat!("x", "y")]
#[a[b]]
#[a{b}]
fn attributes() {}
mod inner {
    #![verifier::external]
    use super::*;
    verus! { fn nested() {} }
    proof fn p() {}
}
macro_rules! local { ($e:expr) => { assume($e) }; }
struct_with_invariants! {
    pub struct Counter {
        pub a: AtomicU64<_, T, _>,
        pub tracked inst: Tracked<I>,
        pub ghost g: int,
    }
    pub open spec fn wf(&self) -> bool {
        predicate { self.g > 0 }
        invariant on a with (inst) is (v: u64, t: T) { t@ == v }
    }
}
tokenized_state_machine! { Machine {
    fields { #[sharding(variable)] pub x: int, }
    init! { start() { init x = 0; } }
    transition! { tick() { require pre.x > 0; update x = pre.x + 1; assert(pre.x > 0) by { assume(false); }; } }
    #[invariant] pub fn inv(&self) -> bool { self.x >= 0 }
    #[inductive(tick)] fn tick_inductive(pre: Self, post: Self) { }
} }

}

verus_keep_ghost! { spec fn keep() -> bool { true } }
