use vstd::prelude::*;
use std::sync::Mutex;

pub fn add(total: &Mutex<u32>, audit: &Mutex<()>, n: u32) {
    let _ = audit.lock().unwrap();
    *total.lock().unwrap() += n;
}
