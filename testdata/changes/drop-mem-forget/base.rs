use vstd::prelude::*;

pub fn finish(lease: Box<u32>) {
    drop(lease);
}
