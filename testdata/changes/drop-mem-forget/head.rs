use vstd::prelude::*;

pub fn finish(lease: Box<u32>) {
    core::mem::forget(lease);
}
