use vstd::prelude::*;

verus! {

pub fn rotate(x: u8) -> (r: u8)
    ensures
        x < 128 ==> r == 2 * x,
{
    assert((x & 0x80) == 0 ==> x < 128) by (bit_vector);
    if x < 128 {
        x + x
    } else {
        0
    }
}

} // verus!
