// Covers: all clauses of a function signature in their order, each empty, with one and several expressions, trailing commas and blocks. Source: verus_syn verus.rs SignatureSpec; verusfmt#74 (empty requires), #150 (ensures ending in a comma, then no_unwind), #91 and PR#132 (opens_invariants [ 123u8 ], f(), name), #114; verus#1617 (block expression in a clause without parentheses), #1868 (`a !is None,` in recommends), verus-analyzer PR#39 (where and recommends).
use vstd::prelude::*;

verus! {

fn all<T>(x: T, y: int) -> (r: T)
    where
        T: Copy,
    requires
        a,
        b,
    ensures
        c,
    returns
        x,
    decreases
        y, y + 1,
    opens_invariants none
    no_unwind
{
    x
}

fn empty() requires ensures {}
fn same_line(x: u8) -> (r: u8) requires x > 0, ensures r == x, { x }
fn no_comma(x: u8) -> (r: u8) requires x > 0 ensures r == x { x }
fn comma_then_unwind() -> (r: u8)
    ensures
        r == 1,
        r > 0,
    no_unwind
{ 1 }
fn unwind_when(x: u8) ensures true, no_unwind when x > 0 {}
fn inv_any() opens_invariants any {}
fn inv_none() opens_invariants none, no_unwind {}
fn inv_list() opens_invariants [ 123u8 ] {}
fn inv_list2() opens_invariants [ a.namespace(), b.namespace(), ] {}
fn inv_empty() opens_invariants [] {}
fn inv_call() opens_invariants f() {}
fn inv_name() opens_invariants name no_unwind {}
fn inv_set() opens_invariants Set::<int>::empty().insert(1), no_unwind {}
fn inv_complement() opens_invariants any / [ a, b ] {}

trait Tr {
    spec fn s(&self) -> bool;
    proof fn p(&self) requires self.s(), ensures true;
    fn d(&self) -> (r: u8)
        requires self.s(),
        ensures r > 0,
        default_ensures r == 1,
    {
        1
    }
    fn only_default(&self) -> (r: u8) default_ensures r == 1 { 1 }
    fn e(&self) -> (r: u8) ensures r > 0;
    fn f() where Self: Sized returns 3u8 opens_invariants none no_unwind;
}

spec fn rec(n: int) -> int
    recommends
        n >= 0,
        n !is None,
    decreases n
        when n >= 0
        via rec_decreases
{
    if n <= 0 { 0 } else { rec(n - 1) }
}

spec fn rec2(n: int, m: int) -> int
    recommends n >= 0 via rec2_rec
    decreases n, m, via lemma
{ 0 }

#[via_fn]
proof fn rec_decreases(n: int) {}

spec fn where_then_recommends<T>(x: T) -> bool where T: Copy recommends true { true }

proof fn bv(x: u8) by (bit_vector)
    requires x < 8,
    ensures x & 7 == x,
{}
proof fn nl(a: int, b: int)
    by (nonlinear_arith)
    ensures a * b == b * a
{}
proof fn ring(a: int) by(integer_ring) requires a % 2 == 0 ensures a * a % 2 == 0 {}

fn blocks(x: u8) -> (r: u8)
    requires
        { let y = x; y > 0 },
        {
            &&& x > 0
            &&& x < 10
        },
        ({ let z = x; z > 0 }),
        if x > 0 { true } else { false },
        match x { 0 => false, _ => true },
        forall|i: int| { i > 0 ==> i >= 0 },
    ensures
        ({
            let (a, b) = (1int, 2int);
            a < b
        }),
        r == x,
{ x }

fn attributes(x: u8) -> (r: u8)
    requires
        #![trigger f(x)]
        #![verifier::proof_note("why")]
        x > 0,
        #[trigger] f(x),
    ensures
        #![auto]
        forall|i: int| #![trigger f(i)] #![trigger g(i), h(i)] f(i) && g(i) && h(i),
        exists|i: int| #![auto] f(i),
        forall|i: int| #![all_triggers] f(i),
        forall|i: int, j: int| f(#[trigger] g(i), #[trigger] h(j)),
{ x }

fn expressions(x: &mut u8, s: S)
    requires
        *old(x) < 10,
        s matches S::A { v, .. } ==> v > 0,
        s is A ==> s->v > 0,
        old(x)@ == 1,
    ensures
        *final(x) == *old(x) + 1,
        *x == 3,
        final(x).f == old(x).f,
{}

fn struct_in_clause(x: u8) -> (r: S)
    requires
        x == (T { a: 1 }).a,
        f(T { a: 1 }),
    ensures
        r == (S { a: x }),
{ S { a: x } }

fn set_choose(s: Set<int>)
    requires
        s.filter(|x: int| x > 0).choose() > 0,
        s.all(|x: int| { x > 0 }),
        (|x: int| x > 0)(3),
{}

fn semis_and_commas(x: u8)
    requires
        x > 0,
;

}
