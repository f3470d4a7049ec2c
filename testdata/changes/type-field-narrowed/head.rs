use vstd::prelude::*;

verus! {

pub struct Item {
    pub key: u32,
    pub weight: u16,
}

pub enum State {
    Idle,
    Busy(u32),
}

pub fn weight_of(v: &Vec<Item>, i: usize) -> (w: u16)
    requires
        i < v.len(),
    ensures
        w == v[i as int].weight,
{
    v[i].weight
}

} // verus!
