use vstd::prelude::*;
use vstd::atomic_ghost::*;

verus! {

struct_with_invariants! {
    pub struct Gate {
        pub cell: AtomicU64<_, u64, _>,
    }

    pub open spec fn wf(&self) -> bool {
        invariant on cell is (v: u64, g: u64) {
            v == g && v <= 10
        }
    }
}

impl Gate {
    pub fn close(&self)
        requires
            self.wf(),
    {
        atomic_with_ghost!(
            self.cell => store(0);
            ghost g => {
                g = 0;
            }
        );
    }
}

} // verus!
