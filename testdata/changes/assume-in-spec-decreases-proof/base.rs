use vstd::prelude::*;

verus! {

pub open spec fn log2(n: int) -> int
    decreases n via log2_decreases
{
    if n <= 1 { 0 } else { 1 + log2(n / 2) }
}

#[via_fn]
proof fn log2_decreases(n: int) {
    assert(n > 1 ==> n / 2 < n);
}

} // verus!
