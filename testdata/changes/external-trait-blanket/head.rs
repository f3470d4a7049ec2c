use vstd::prelude::*;

verus! {

mod specs {
    use super::*;

    #[verifier(external_trait_specification)]
    #[verifier::external_trait_blanket]
    pub trait Debug {
        type ExternalTraitSpecificationFor: core::fmt::Debug;
    }
}

pub fn id(x: u8) -> (r: u8)
    ensures
        r == x,
{
    x
}

} // verus!
