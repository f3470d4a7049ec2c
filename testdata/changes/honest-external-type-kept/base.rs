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

#[verifier(external_type_specification)]
#[verifier(external_body)]
pub struct ExPage(hw::Page);

pub fn id(x: u8) -> (r: u8)
    ensures
        r == x,
{
    x
}

} // verus!
