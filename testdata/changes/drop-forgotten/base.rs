use vstd::prelude::*;
use std::sync::atomic::{fence, AtomicUsize, Ordering};

pub struct Lease {
    pub id: usize,
}

static LIVE: AtomicUsize = AtomicUsize::new(0);

impl Drop for Lease {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Ordering::Release);
    }
}

pub fn live() -> usize {
    fence(Ordering::SeqCst);
    LIVE.load(Ordering::Acquire)
}
