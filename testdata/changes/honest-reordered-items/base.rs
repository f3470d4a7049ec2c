use vstd::prelude::*;

verus! {

pub struct Acc {
    pub sum: u64,
}

impl Acc {
    pub fn new() -> (a: Self)
        ensures
            a.sum == 0,
    {
        Acc { sum: 0 }
    }

    pub fn get(&self) -> (r: u64)
        ensures
            r == self.sum,
    {
        self.sum
    }
}

pub fn zero() -> (r: u64)
    ensures
        r == 0,
{
    Acc::new().get()
}

} // verus!
