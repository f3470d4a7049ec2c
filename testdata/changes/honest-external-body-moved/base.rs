use vstd::prelude::*;

verus! {

pub struct Dev {
    pub base: usize,
}

impl Dev {
    #[verifier::external_body]
    #[inline(always)]
    pub fn reg(&self, n: usize) -> (v: u32)
        requires
            n < 16,
        ensures
            v < 0x1_0000,
    {
        unsafe { core::ptr::read_volatile((self.base + 4 * n) as *const u32) & 0xffff }
    }
}

} // verus!
