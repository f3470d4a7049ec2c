use vstd::prelude::*;

verus! {

pub trait Clock {
    spec fn now(&self) -> nat;

    fn ticks(&self) -> (t: u64)
        ensures
            t <= self.now(),
    ;
}

pub struct Tsc;

impl Clock for Tsc {
    uninterp spec fn now(&self) -> nat;

    #[cfg_attr(verus_keep_ghost, verifier::external_body)]
    fn ticks(&self) -> (t: u64) {
        unsafe { core::arch::x86_64::_rdtsc() + 1 }
    }
}

} // verus!
