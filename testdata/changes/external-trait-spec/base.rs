use vstd::prelude::*;

pub mod hw {
    pub struct Page {
        pub bytes: [u8; 64],
    }

    pub trait Port {
        fn poll(&self) -> u8;
    }
}

verus! {

pub fn id(x: u8) -> (r: u8)
    ensures
        r == x,
{
    x
}

} // verus!
