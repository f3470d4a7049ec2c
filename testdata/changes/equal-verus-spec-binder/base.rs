use vstd::prelude::*;

#[verus_verify]
#[verus_spec(ret => requires x < 9, ensures ret <= x)]
pub fn low(x: u32) -> u32 {
    x
}
