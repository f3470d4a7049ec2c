use vstd::prelude::*;

verus! {

#[verifier::accept_recursive_types(T)]
#[verifier::ext_equal]
pub struct Tree<T> {
    pub kids: Vec<T>,
}

#[verifier::opaque]
pub open spec fn deep(x: int) -> bool {
    x > 0
}

pub fn low(x: u32) -> (r: u8)
{
    #[verifier::truncate]
    (x as u8)
}

#[verus::trusted]
#[verifier::allow(unused)]
#[verifier::custom_err("depth")]
pub proof fn lemma_deep()
    ensures
        deep(1),
{
    reveal(deep);
}

} // verus!
