use vstd::prelude::*;

verus! {

pub struct Item {
    pub key: u32,
    pub weight: u64,
}

pub enum State {
    Idle,
    Busy(u32),
}

pub fn weight_of(v: &Vec<Item>, i: usize) -> (w: u64)
    requires
        i < v.len(),
    ensures
        w == v[i as int].weight,
{
    v[i].weight
}

} // verus!
