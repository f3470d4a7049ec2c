use vstd::prelude::*;

verus! {

pub mod decode {
    #![cfg_attr(verus_keep_ghost, verifier::external)]

    use super::*;

    pub fn decode(x: u8) -> (r: u8)
        ensures
            r <= x,
    {
        x / 2
    }
}

} // verus!
