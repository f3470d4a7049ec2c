use vstd::prelude::*;
use vstd::atomic_ghost::*;

verus! {

struct_with_invariants! {
    pub struct Shared {
        pub counter: AtomicU64<_, int, _>,
    }

    pub open spec fn wf(&self) -> bool {
        invariant on counter is (v: u64, g: int) {
            g == v as int
        }
    }
}

pub fn bump(n: u64) -> (r: u64) {
    let s = Shared { counter: AtomicU64::new(Ghost(()), n, Tracked(n as int)) };
    let before = atomic_with_ghost!(
        &s.counter => fetch_add(1);
        update old -> new;
        returning ret;
        ghost g => { assert(true); g = g + 1; }
    );
    let after = atomic_with_ghost!(&s.counter => load(); ghost g => { });
    before.wrapping_mul(1000).wrapping_add(after)
}

}

pub fn run(out: &mut Vec<String>) {
    for n in [0, 5] { out.push(format!("{}", bump(n))); }
}
