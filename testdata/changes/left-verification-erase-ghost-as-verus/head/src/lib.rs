use vstd::prelude::*;
use vstd::prelude::verus_erase_ghost as verus;
verus! {
pub fn f(x: u64) -> (r: u64)
    ensures r > x,
{
    proof { if x < 5 { } }
    x
}

}
