use vstd::prelude::*;

verus! {

pub fn wrap(i: u32, n: u32) -> (r: u32)
    requires
        i < n,
    ensures
        r < n,
{
    if i + 1 < n { i + 1 } else { 0 }
}

} // verus!
