use vstd::prelude::*;

verus! {

pub fn log_size(n: u32) -> (r: u32)
    ensures
        r == n,
{
    n
}

} // verus!
