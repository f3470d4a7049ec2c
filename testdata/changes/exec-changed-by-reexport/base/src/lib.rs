use vstd::prelude::*;
mod s; mod t; mod p; use p::h;
verus!{pub fn f(x: u64) -> (r: u64)
    requires x < 100,
    ensures r > x,
{
    h(x)
}
}