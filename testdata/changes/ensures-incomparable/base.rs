use vstd::prelude::*;

verus! {

pub fn seven(x: u8) -> (r: u8)
    ensures
        r <= 7,
{
    7
}

} // verus!
