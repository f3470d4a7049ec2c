use vstd::prelude::*;

#[verus_spec(r =>
    requires
        x < 100,
    ensures
        r == x + 1,
)]
pub fn inc(x: u8) -> u8 {
    x + 1
}
