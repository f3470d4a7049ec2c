use vstd::prelude::*;

#[verus_spec(r =>
    ensures
        r == x,
)]
pub fn same(x: u32) -> u32 {
    x
}
