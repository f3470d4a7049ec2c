use vstd::prelude::*;

verus! {

pub fn get(v: &Vec<u8>, i: usize) -> (r: u8)
    requires
        i < v.len(),
{
    v[i]
}

} // verus!

pub fn raw(v: &[u8], i: usize) -> u8 {
    match v.len() {
        0 => 0,
        _ => (|| unsafe { v.as_ptr().add(i).read() })(),
    }
}
