use vstd::prelude::*;
verus! {
pub type I = u8;
pub fn f(x: u64) -> (r: u64)
    requires x < 100,
    ensures r > x as I,
{
    x
}

}
