use vstd::prelude::*;

verus! {

pub struct Item {
    pub n: u64,
}

pub trait Bounded {
    fn low(&self) -> (r: u8)
        ensures
            r < 9,
    ;
}

impl Bounded for Item {
    fn low(&self) -> u8 {
        1
    }
}

impl Default for Item {
    fn default() -> Self {
        Item { n: 0 }
    }
}

pub fn same(x: u64) -> (r: u64)
    ensures
        r == x,
{
    x
}

pub fn bare(x: u64) -> u64 {
    x
}

} // verus!
