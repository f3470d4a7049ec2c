verus! {
pub open spec fn ok(v: Seq<i32>, m: int) -> bool {
    &&& 0 <= v.len() <= 10
    &&& forall|i: int| #![trigger v[i]] 0 <= i < v.len() ==> v[i] <= m
}
/// Doc.
#[verifier::loop_isolation(false)]
pub fn max_of(v: &Vec<i32>, Ghost(g): Ghost<int>) -> (m: i32)
    requires
        v.len() > 0,
        { &&& true &&& g == 1 },
    ensures
        v@.contains(m), r matches Some(x) ==> x@ == 1 && y,
        a !is None, o->0.f == old(v).len() as int,
    decreases v.len(), 1 when true via lemma
    opens_invariants none
    no_unwind when x
{
    let ghost mut k = 0int;
    while i < 3
        invariant i <= 3,
        decreases 3 - i,
    { i += 1; }
    for x in it: 0..n invariant true { }
    proof { assert(a) by (nonlinear_arith) requires b, { lemma(); } }
    assert forall|x: int| p(x) implies q(x) by { reveal(q); }
    assume(x == 1);
    let c = |y: u8| -> (r: u8) requires y > 0 ensures r > 0 { y };
    v[0]
}
}
