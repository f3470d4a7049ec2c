use vstd::prelude::*;

verus! {

pub fn add_all(v: Vec<u32>) -> (r: Vec<u32>)
{
    map_vec(v, |x: u32| -> (y: u32)
        requires
            x < 10,
        ensures
            y > x,
        { x + 1 })
}

#[verifier::external_body]
fn map_vec<F: Fn(u32) -> u32>(v: Vec<u32>, f: F) -> (r: Vec<u32>) {
    v.into_iter().map(f).collect()
}

} // verus!
