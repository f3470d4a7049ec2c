use vstd::prelude::*;

#[verus_spec(r =>
    ensures
        r <= a,
        r <= b,
)]
pub fn smaller(a: u32, b: u32) -> u32 {
    if a < b {
        a
    } else {
        b
    }
}
