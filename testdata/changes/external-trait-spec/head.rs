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

pub mod specs {
    use super::*;

    #[verifier::external_trait_specification]
    pub trait Port {
        type ExternalTraitSpecificationFor: crate::hw::Port;

        fn poll(&self) -> (r: u8)
            ensures
                r < 128,
        ;
    }
}

pub fn id(x: u8) -> (r: u8)
    ensures
        r == x,
{
    x
}

} // verus!
