use vstd::prelude::*;

verus! {

pub struct Nic {
    pub regs: usize,
}

} // verus!
