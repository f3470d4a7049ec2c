// Covers: Verus as attributes on ordinary Rust: verus_verify, verus_spec on functions, loops, consts, calls and locals, proof!, proof_decl!, proof_with!. Source: verusfmt#121 and PR#127, verus#1918 (verus_spec), verus#2175 (verus_spec(ensures true) on const); verus_syn SignatureSpecAttr.
use vstd::prelude::*;

#[verus_verify]
pub struct Pair { a: u8, b: u8 }

#[verus_verify(external_body)]
#[verus_spec(r => requires x > 0, ensures r == x)]
pub fn trusted(x: u8) -> u8 { x }

#[verus_verify(rlimit(20), spinoff_prover)]
#[verus_spec(r: u8 =>
    with
        Tracked(t): Tracked<&mut T>, Ghost(g): Ghost<int>
        -> out: Ghost<int>
    requires
        x < 10,
        forall|i: int| 0 <= i < x ==> f(i),
    ensures
        r == x + 1,
    decreases x
    opens_invariants none
    no_unwind
)]
pub fn with_ghosts(x: u8) -> u8 {
    proof! { assert(x < 10); assume(x < 5); }
    proof_decl! { let ghost g = 1int; let tracked t = u; }
    let mut i = 0;
    #[verus_spec(
        invariant i <= x,
        decreases x - i
    )]
    while i < x {
        i += 1;
    }
    #[verus_spec(iter => invariant iter.cur <= x)]
    for k in 0..x { proof! { lemma(k) } }
    #[verus_spec(with Tracked(t), Ghost(g) => Ghost(o))]
    let y = callee(x);
    proof_with!(Tracked(t), Ghost(g));
    let z = callee(x);
    f(#[verus_spec(with Tracked(t))] g(x), y);
    f(y, #[verus_spec(with Tracked(t))] g(x));
    f(#[verus_spec(with Tracked(t))] g(x),);
    f(y, #[verus_spec(with Tracked(t), Ghost(g),)] g(x), );
    let p = #[verus_spec(with g: Ghost(1), t: Tracked(u))] Pair { a: 1, b: 2 };
    let q = #[verus_spec(with => Tracked(out))] callee(x);
    #[verus_spec(with |= Tracked(out))]
    x.method();
    x + 1
}

#[verus_spec(ensures true)]
const LIMIT: u8 = 3;

#[verus_verify]
impl Pair {
    #[verus_spec(requires self.a < 3)]
    fn bump(&mut self) { self.a += 1; }

    #[verus_verify(external)]
    fn skipped(&self) {}
}

#[verus_verify(dual_spec)]
#[verus_spec(returns x)]
fn dual(x: u8) -> u8 { x }

#[vstd::prelude::verus_spec(requires true)]
fn by_path() {}

#[verifier::verify]
fn opted_in() { proof! { admit(); } }

#[cfg_attr(verus_keep_ghost, verus_spec(ensures true))]
fn conditional() {}
