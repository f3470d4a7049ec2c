use vstd::prelude::*;

verus! {

pub fn is_lower(c: u8) -> (b: bool)
    ensures
        b == (97 <= c <= 122),
{
    97 <= c && c <= 122
}

} // verus!
