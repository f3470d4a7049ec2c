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

    #[cfg_attr(verus_only, verifier::external_trait_specification)]
    #[verifier::external_trait_extension(PortSpec via PortSpecImpl)]
    pub trait Port {
        type ExternalTraitSpecificationFor: crate::hw::Port;

        spec fn ready(&self) -> bool;

        fn poll(&self) -> (r: u8)
            ensures
                self.ready() ==> r > 0,
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
