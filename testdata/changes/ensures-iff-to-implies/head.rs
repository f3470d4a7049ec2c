use vstd::prelude::*;

verus! {

pub fn is_digit(c: u8) -> (b: bool)
    ensures
        b ==> 48 <= c <= 57,
{
    48 <= c && c <= 57
}

} // verus!
