use vstd::prelude::*;

verus! {

pub const PLAIN: u32 = 7;

pub exec const CHECKED: usize
    ensures CHECKED == 4,
{
    assert(2 + 2 == 4);
    2 + 2
}

spec const GHOST: int = 3;

pub exec static SHARED: u16 ensures SHARED > 0 { 9 }

pub const fn constant(x: u8) -> (r: u8)
    requires x < 10,
    ensures r == x + 1,
{
    x + 1
}

pub struct Holder;

impl Holder {
    pub const INNER: u8 = 5;

    pub const fn get() -> (r: u8) ensures r == 5 { Self::INNER }
}

}

pub fn run(out: &mut Vec<String>) {
    const C: u8 = constant(8);
    out.push(format!("{} {} {} {} {} {}", PLAIN, CHECKED, SHARED, C, Holder::get(), [0u8; CHECKED].len()));
}
