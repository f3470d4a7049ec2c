use vstd::prelude::*;

#[verus_verify]
#[verus_spec(r =>
    requires
        a < 1000,
        b < 1000,
    ensures
        r == a + b,
)]
pub fn plus(a: u32, b: u32) -> u32 {
    proof! {
        assert(a + b < 2000);
    }
    a + b
}
