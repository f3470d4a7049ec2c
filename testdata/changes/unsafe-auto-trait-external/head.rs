use vstd::prelude::*;

verus! {

#[verifier::external_body]
pub struct Handle {
    raw: *mut u8,
}

#[verifier::external]
unsafe impl Send for Handle {}

} // verus!

impl Handle {
    pub fn is_null(&self) -> bool {
        self.raw.is_null()
    }
}
