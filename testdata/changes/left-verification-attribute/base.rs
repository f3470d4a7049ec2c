use vstd::prelude::*;

#[verus_verify]
#[verus_spec(r => ensures r <= a)]
pub fn half(a: u32) -> u32 {
    a / 2
}
