use vstd::prelude::*;

verus! {

pub spec const MAX_LEN: int = 64;

pub fn copy_len(n: usize) -> (r: usize)
    requires
        n <= MAX_LEN,
    ensures
        r == n,
{
    n
}

} // verus!
