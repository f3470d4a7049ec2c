use vstd::prelude::*;

verus! {

pub trait Codec {
    fn header(&self) -> (h: u16)
        ensures
            h < 100,
    ;
}

} // verus!
