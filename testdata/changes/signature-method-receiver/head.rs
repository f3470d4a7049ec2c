use vstd::prelude::*;

verus! {

pub struct P {
    pub x: u8,
}

impl P {
    pub fn x(&self) -> (r: u8)
        ensures
            r == self.x,
    {
        self.x
    }
}

} // verus!
