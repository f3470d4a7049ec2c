use vstd::prelude::*;

#[verus_verify]
#[verus_spec(r => requires x < 9, ensures x >= r)]
pub fn low(x: u32) -> u32 {
    x
}

#[verus_verify]
#[verus_spec(ret => requires x < 9, ensures ret == x)]
pub fn idd(x: u32) -> u32 {
    x
}

#[verus_verify]
#[verus_spec((a, b) => requires x < 9, ensures a == x, b <= 7)]
pub fn two(x: u32) -> (u32, u32) {
    (x, 7)
}
