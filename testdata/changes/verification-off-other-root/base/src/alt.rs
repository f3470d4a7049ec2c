use vstd::prelude::*;
verus! { pub fn f(x: u64) -> (r: u64) { x } }