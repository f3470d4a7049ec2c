use vstd::prelude::*;

verus! {

pub trait Codec {
    spec fn size(&self) -> nat;

    fn encode(&self, x: u8) -> (r: u16)
        requires
            x < 200,
        ensures
            r >= x,
    ;

    fn header(&self) -> (h: u16)
        ensures
            h < 100,
            h >= self.size(),
    {
        7
    }
}

pub struct Plain;

impl Codec for Plain {
    open spec fn size(&self) -> nat {
        1
    }

    fn encode(&self, x: u8) -> (r: u16) {
        x as u16
    }
}

} // verus!
