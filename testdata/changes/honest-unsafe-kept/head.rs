use vstd::prelude::*;

verus! {

} // verus!

pub fn read(p: &u8) -> u8 {
    // SAFETY: unsafe is fine, p is a valid reference
    unsafe {
        core::ptr::read(p)
    }
}
