use vstd::prelude::*;

macro_rules! twice {
    ($($t:tt)*) => {
        proof! { $($t)* }
    };
}

#[verus_spec(r =>
    ensures
        r <= x,
)]
pub fn quarter(x: u32) -> u32 {
    twice! { assert(x / 4 <= x); }
    x / 4
}
