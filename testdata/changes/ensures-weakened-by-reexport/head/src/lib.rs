use vstd::prelude::*;
mod s; mod t; mod p; use p::ok;
verus!{pub fn f(x: u64) -> (r: u64)
    requires x < 100,
    ensures ok(x, r),
{
    x
}
}