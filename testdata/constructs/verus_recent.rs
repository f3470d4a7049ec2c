// Covers: forms added since mid 2025: atomic specifications, invariant set complements, final, default_ensures, invariant clauses of for, verus_impl!, exec_spec macros, via on recommends, skip attributes. Source: verus_syn verus.rs (AtomicSpec, AtomicallyBlock), verus-facts section "Grammar"; verusfmt::skip of the verusfmt CHANGELOG.
use vstd::prelude::*;

verus! {

pub fn atomic_add(x: u64) -> (r: u64)
    atomically (au) {
        type Pred,
        (old_perm: Perm) -> (new_perm: Perm),
        requires old_perm@ > 0,
        ensures new_perm@ == old_perm@ + 1,
        outer_mask any,
        inner_mask none,
    },
    requires x > 0,
    ensures r == x,
    opens_invariants any / [ 1int ],
{
    x
}

pub fn atomic_empty()
    atomically (au) { }
{
}

fn call_site(x: u64) {
    atomic_add(x) atomically |update| { update(perm) };
    atomic_add(x) 'l: atomically loop |update| -> au invariant true ensures true { break 'l; };
}

fn new_mut(x: &mut u64)
    ensures
        *final(x) == *old(x) + 1,
        final(x)@.len() == 3,
{
    *x += 1;
}

#[verusfmt::skip]
fn skipped( ) -> ( r:u8 ) ensures r==1 { 1 }

exec_spec_verified! {
    pub struct Point { pub x: i64, pub y: i64 }
    pub open spec fn positive(p: Point) -> bool { p.x > 0 && p.y > 0 }
    pub open spec fn all(s: Seq<i64>) -> bool { forall|i: usize| 0 <= i < s.len() ==> s[i as int] > 0 }
}
exec_spec_unverified! {
    pub open spec fn any(s: Seq<i64>) -> bool { exists|i: usize| 0 <= i < s.len() && s[i as int] > 0 }
}

}

impl S {
    verus_impl! {
        fn bump(&mut self) { self.a += 1; }
    }
}
