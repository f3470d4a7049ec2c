use vstd::prelude::*;

verus! {

pub trait Order {
    spec fn rank(&self) -> int;

    fn first(&self, v: &Vec<u64>) -> (r: u64)
        requires
            v.len() > 0,
        ensures
            v@.contains(r),
    ;
}

pub proof fn checked()
    ensures
        1 + 1 == 2int,
{
}

} // verus!
