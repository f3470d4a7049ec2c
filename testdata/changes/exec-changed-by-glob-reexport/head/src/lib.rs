use vstd::prelude::*;
mod s; mod t; mod p; 
verus!{pub fn f(x: u64) -> (r: u64)
    requires x < 100,
    ensures r > x,
{
    p::h(x)
}
}