use vstd::prelude::*;
verus! {
pub fn f(x: u64) -> (r: u64)
    ensures r > x,
{
    proof { if x < 5 { } }
    x
}

}
