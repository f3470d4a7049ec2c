use vstd::prelude::*;
#[macro_use] mod m;
verus!{pub fn f(x: u64) -> (r: u64)
    requires x < 100,
    ensures cl!(r, x),
{
    x
}
}