use vstd::prelude::*;

mod raw {
    pub fn parity(x: u8) -> bool {
        x.count_ones() % 2 == 1
    }
}

verus! {

pub open spec fn small(x: u8) -> bool {
    x < 2
}

} // verus!
