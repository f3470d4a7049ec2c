use vstd::prelude::*;

#[verus_spec(r =>
    requires
        x > 0
    recommends
        r < x,
)]
pub fn dec(x: u32) -> u32 {
    x - 1
}
