use vstd::prelude::*;

verus! {

pub struct Tree<T> {
    pub kids: Vec<T>,
}

pub open spec fn deep(x: int) -> bool {
    x > 0
}

pub fn low(x: u32) -> (r: u8)
{
    x as u8
}

pub proof fn lemma_deep()
    ensures
        deep(1),
{
}

} // verus!
