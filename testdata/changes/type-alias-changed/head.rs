use vstd::prelude::*;

verus! {

pub type Addr = u32;

pub fn next(a: Addr) -> (r: Addr)
    requires
        a < 1000,
    ensures
        r == a + 1,
{
    a + 1
}

} // verus!
