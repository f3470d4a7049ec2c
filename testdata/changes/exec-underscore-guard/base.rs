use vstd::prelude::*;
use std::sync::Mutex;

pub fn add(total: &Mutex<u32>, audit: &Mutex<()>, n: u32) {
    let _guard = audit.lock().unwrap();
    *total.lock().unwrap() += n;
}
