// Covers: operators and expressions of Verus: implications, chains, quantifiers, choose, is/isnt/!is, has/!has, matches, ->, @, views, &&&/|||, asserts, proof blocks, let ghost/tracked, assert forall, calc, seq, literals. Source: verus_syn expr.rs, precedence.rs; verusfmt CHANGELOG (!is / !has, -> and matches, &&& blocks with comments, seq!, calc!, 0.1real); verus-analyzer#42, #25, #20, PR#39; verus#1380/#2733.
use vstd::prelude::*;

verus! {

spec fn logic(a: bool, b: bool, c: bool) -> bool {
    &&& a ==> b ==> c
    &&& a <== b <== c
    &&& (a <==> b)
    // a comment between
    &&& {
        ||| a
        ||| b && c
        /* another */
        ||| {
            &&& c
            &&& a
        }
    }
    &&& !a || b && c ==> a
    &&& a == b
    &&& f == Foo { x: 3 }
    &&& if a { b } else { c }
    &&& match x { A => true, B { y } => y }
    &&& forall|i: int| p(i)
    &&& x matches Some(y) &&& y > 0 &&& y < 9
    &&& let_like
}

spec fn first_triple(x: int) -> bool {
    ||| x == 1
    ||| x == 2 && x != 3
}

spec fn compare(a: int, b: int, c: int) -> bool {
    a <= b < c && 0 <= a < b <= c < 10 && a == b == c && a != b && a === b && a !== b && s =~= t && s@ !~= t@ && s =~~= t && (s) !~~= t && a > b >= c
}

spec fn quantifiers() -> bool {
    (forall|x: int, y: int| x < y ==> #[trigger] f(x) <= f(y))
    && (exists|x| #![trigger f(x), g(x)] f(x) == g(x))
    && (forall|x: int, (a, b): (int, int)| x > 0)
    && (forall|i: int,| p(i))
    && (forall|p: spec_fn(int) -> bool| p(1))
    && (exists|x: int| 0 <= x < 10 && forall|y: int| x < y)
    && (forall|| true)
    && choose|x: int| f(x) == 1 == (choose|x: int| f(x) == 2)
    && Set::new(|x: int| x > 0).contains(choose|x: int| x > 0)
    && (forall |x: int| #[verifier::custom] x == x)
    && a & b == c | d
}

spec fn is_has(x: E, s: Set<int>) -> bool {
    x is A && x !is B && x isnt C && s has 3 && s !has 4 && s hasnt 5
    && !(x is A) && x.f is None && (x is A ==> x->A_0 == 1) && x is A == true
    && x as int is int
    && (x matches E::A(y) && y > 0) && (x matches E::B { z, .. } ==> z > 0) && (x matches A | B)
    && (x matches Some(E::A(y)) ==> y matches Some(z) ==> z > 0)
}

spec fn postfix(s: S) -> int {
    s@.len() + s.view()@[0]@ + s->0 + s->f.g + s->Variant_f@ + s.0.1@ + (s@)@ + s@.f(1)@->x + old(s)@.x - -s@.y + (*s)@.z + s[1]@ + f(x)@
}

spec fn literals() -> int {
    1 + 2int + 3nat + 4u8 as int + 0xffint + 1_000nat + x as nat as int + 0.1real + 3real
}

spec fn lets(x: int) -> int {
    let y = x + 1;
    let (a, b): (int, int) = (y, y);
    let f = |z: int| z + a;
    let g = |z: int, w: int| -> int { z + w };
    let s = seq![1int, 2, 3];
    let t = set!{1, 2};
    let m = map![1int => 2int];
    let e = arbitrary::<int>();
    if let Some(k) = o { k } else { f(b) }
}

proof fn proofs(x: int, tracked t: T)
    requires x > 0
{
    assert(x > 0);
    assert(x >= 0) by { assert(x > 0); };
    assert(x >= 0) by {}
    assert(x & 1 == 1) by (bit_vector);
    assert(x & 1 == 1) by(bit_vector) requires x > 0, x < 9,;
    assert(x * x >= 0) by (nonlinear_arith)
        requires x > 0
    {
        lemma(x);
    }
    assert(x == 1) by (compute);
    assert(x == 1) by (compute_only);
    assert(x == 1) by (integer_ring) requires x > 0;
    assert forall|i: int| 0 <= i < 10 implies f(i) by { lemma(i); }
    assert forall|i: int, j: int| #![trigger f(i), f(j)] f(i) == f(j) by {};
    assert forall|x| #[trigger] p(x) implies #[trigger] q(x) by {}
    assert({ &&& a &&& b });
    assert({
        let y = x;
        y > 0
    });
    assume(x > 5);
    assume(false)
    ;
    admit();
    reveal(f);
    reveal(m::S::<int>::g,);
    reveal(<T as Tr>::f);
    reveal_with_fuel(f, 3);
    reveal_with_fuel(f, 2 + 1,);
    hide(f);
    broadcast use vstd::group;
    broadcast use {a, b::c, <T as Tr>::d,};
    let ghost g = x;
    let tracked u = t;
    let tracked mut v: T = t;
    let ghost (p, q) = (1, 2);
    let tracked Pair { a, b } = pair;
    let x = choose|y: int| y > x;
    let f = proof_fn|tracked y: T| -> tracked T { y };
    let h = proof_fn[Mut, Copy]|y: int| -> (r: int) requires y > 0, ensures r > 0 { y };
    if x > 0 { assert(x > 0); } else if x < 0 {} else { return; }
    match t { A => { assert(true) } B(y) if y > 0 => assume(y), C => {} }
    calc! { (==) x; { lemma(x); } x + 0; (<=) { } x + 1; }
    assert_by_contradiction!(x > 0, { assert(x > 0); });
    assert_seqs_equal!(a, b, i => { assert(a[i] == b[i]); });
    choose_witness(choose|y: int| 0 < y);
    use_type_invariant(&t);
    let tracked z = T { a: tracked_field, ghost_field };
}

fn code(x: u64, Tracked(t): Tracked<&mut T>) -> (r: u64)
    requires x < 100
{
    proof { assert(x < 100); assume(x < 50) }
    proof {}
    let ghost g: int = x as int + 1;
    let tracked y = t.borrow();
    let Ghost(k) = f();
    let Tracked(w) = h(Ghost(x as int), Tracked(t));
    let gg = Ghost(g);
    let tt = Tracked(y);
    let tm = Tracked::<T>(y);
    assert(x < 100) by { lemma(x) };
    let s = call(x, Ghost(g), Tracked(&mut *t), Ghost::assume_new(), Tracked::assume_new());
    let c = |a: u64, b: u64| -> (r: u64) requires a < 10, b < 10 ensures r == a + b { a + b };
    let d = |a: u64| -> (r: u64)
        ensures r == a,
    { a };
    let e = |a| requires true { a };
    let f = move |a: u64, Tracked(u): Tracked<U>| -> (r: Tracked<U>) requires a > 0 { Tracked(u) };
    let z = #[verifier::truncate] (x as u8);
    if x > 5 { proof { lemma(x); } } else { proof { admit(); } }
    match x { 0 => proof { lemma(0); }, _ => { let ghost q = 1; } }
    let x2 = { let ghost j = 1; x };
    x
}

}
