use vstd::prelude::*;

pub fn checksum(a: u8, b: u8) -> u8 {
    a.wrapping_sub(b).wrapping_mul(3)
}

verus! {

pub assume_specification[ checksum ](a: u8, b: u8) -> (r: u8)
    ensures
        a == b ==> r == 0,
;

} // verus!
