use vstd::prelude::*;

verus! {

pub fn read(v: &Vec<u8>, i: usize) -> (r: u8)
{
    // The caller checks the index.
    assume( i < v.len() );

    v[i]
}

pub fn first(v: &Vec<u8>) -> (r: u8)
    requires
        v.len() > 0,
{
    assert(0 < v.len());
    read(v, 0)
}

} // verus!
