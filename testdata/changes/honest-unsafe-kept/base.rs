use vstd::prelude::*;

verus! {

} // verus!

pub fn read(p: &u8) -> u8 {
    unsafe { core::ptr::read(p) }
}
