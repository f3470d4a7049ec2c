use vstd::prelude::*;

#[verus_spec(r =>
    requires
        x < 1000,
    ensures
        r == x / 2,
)]
pub fn half(x: u32) -> u32 {
    x / 2
}
