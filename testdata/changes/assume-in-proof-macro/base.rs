use vstd::prelude::*;

#[verus_verify]
#[verus_spec(r =>
    requires
        x < 1000,
    ensures
        r == 3 * x,
)]
pub fn triple(x: u32) -> u32 {
    proof! {
        assert(x + x + x == 3 * x);
    }
    x + x + x
}
