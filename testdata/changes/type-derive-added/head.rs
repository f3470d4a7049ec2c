use vstd::prelude::*;

verus! {

#[derive(Debug)]
pub struct Item {
    pub n: u64,
}

} // verus!
