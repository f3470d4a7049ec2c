use vstd::prelude::*;

verus! {

pub fn get(v: &Vec<u8>, i: usize) -> (r: u8)
    requires
        i < v.len(),
{
    v[i]
}

} // verus!

extern "C" {
    fn peek(p: *const u8) -> u8;
}

pub unsafe fn peek_at(p: *const u8) -> u8 {
    peek(p)
}

pub fn raw(v: &[u8], i: usize) -> u8 {
    v[i]
}
