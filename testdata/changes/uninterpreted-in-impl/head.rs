use vstd::prelude::*;

verus! {

pub struct Nic {
    pub regs: usize,
}

impl View for Nic {
    type V = Seq<u8>;

    #[cfg_attr(verus_keep_ghost, verifier::allow(unused))]
    uninterp spec fn view(&self) -> Seq<u8>;
}

} // verus!
