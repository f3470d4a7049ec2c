// Covers: loop clauses of while, loop and for, named iterators, labels, loop attributes, invariant blocks. Source: verus_syn expr.rs; verusfmt CHANGELOG (named iterator, invariant_except_break); verus-analyzer#20 (loop and break invariants); verus#1926 (`for p in mod::f(v)` is no named iterator).
use vstd::prelude::*;

verus! {

fn loops(n: u64, v: Vec<u64>) {
    while i < n
        invariant
            i <= n,
            x == i,
        decreases n - i,
    {
        i += 1;
    }
    while i < n invariant i <= n decreases n - i { i += 1; }
    while i < n
        invariant_except_break i <= n
        invariant k > 0
        ensures i == n
        decreases n - i
    { break; }
    #[verifier::loop_isolation(false)]
    while i < n
        invariant_except_break
            i <= n,
        invariant_ensures
            j <= n,
        decreases n - i, j,
    {}
    #[verifier::exec_allows_no_decreases_clause]
    #[verifier::assume_termination]
    loop
        invariant_except_break a, invariant b, ensures c, decreases d
    { break }
    'outer: loop invariant true { break 'outer; }
    loop {}
    for x in 0..n invariant x <= n { }
    for x in it: 0..n
        invariant
            it.end == n,
            x == it.cur,
        decreases n - x,
    {}
    'l: for (a, b) in iter: v.iter().enumerate() invariant iter.pos > 0, { continue 'l; }
    for p in m::f(v) {}
    for x in y: m::f::<u8>(v) {}
    for x in v {}
    for x in v invariant_except_break a invariant b ensures c decreases d {}
    while i < n
        invariant
            ({ &&& i <= n &&& j <= n }),
            forall|k: int| 0 <= k < i ==> v[k] == 0,
            if a { b } else { c },
        decreases (if a { 1int } else { 0 }),
    {}
    while let Some(x) = it.next() invariant true decreases it.left() {}
    while f(S { a: 1 }) invariant true {}
}

fn invariants(Tracked(credit): Tracked<Credit>) {
    open_atomic_invariant!(credit => &inv => inner => {
        proof { inner = inner; }
    });
    open_local_invariant!(&inv => inner => { });
    open_atomic_invariant_in_proof!(credit => inv => inner => { assume(false); });
    let r = atomic_with_ghost!(
        &self.a => compare_exchange(1, 2);
        update prev -> next;
        returning ret;
        ghost g => {
            if ret is Ok { assert(prev == 1); assume(g == 1); }
        }
    );
    let l = atomic_with_ghost!(self.a => load(); ghost g => { });
    let m = my_atomic!(&a => no_op(); update x -> y; ghost g => { admit(); });
}

}
