use vstd::prelude::*;

verus! {

pub fn ratio(a: u32, b: u32) -> (r: u32)
    requires
        a > 0 && b > 0,
    ensures
        r <= a || b == 0,
{
    if b == 0 { 0 } else { a / b }
}

} // verus!
