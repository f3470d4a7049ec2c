use vstd::prelude::*;

verus! {

pub mod decode {
    use super::*;

    pub fn decode(x: u8) -> (r: u8)
        ensures
            r <= x,
    {
        x / 2
    }
}

} // verus!
