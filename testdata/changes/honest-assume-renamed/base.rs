use vstd::prelude::*;

verus! {

pub fn read(v: &Vec<u8>, i: usize) -> (r: u8)
{
    assume(i < v.len());
    v[i]
}

pub fn first(v: &Vec<u8>) -> (r: u8)
    requires
        v.len() > 0,
{
    read(v, 0)
}

} // verus!
