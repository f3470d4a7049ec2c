use vstd::prelude::*;

verus! {

pub fn mid(a: u32, b: u32) -> (m: u32)
    requires
        a <= b,
    ensures
        a <= m && m <= b,
{
    a
}

} // verus!
