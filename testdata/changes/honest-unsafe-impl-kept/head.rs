use vstd::prelude::*;

unsafe impl Send for Handle {}
impl Unpin for Handle {}

impl Handle {
    pub fn is_null(&self) -> bool {
        self.raw.is_null()
    }
}

verus! {

#[verifier::external_body]
pub struct Handle {
    raw: *mut u8,
}

} // verus!
