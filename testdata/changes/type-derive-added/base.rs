use vstd::prelude::*;

verus! {

pub struct Item {
    pub n: u64,
}

} // verus!
