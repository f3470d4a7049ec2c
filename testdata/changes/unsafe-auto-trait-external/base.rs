use vstd::prelude::*;

verus! {

#[verifier::external_body]
pub struct Handle {
    raw: *mut u8,
}

} // verus!

impl Handle {
    pub fn is_null(&self) -> bool {
        self.raw.is_null()
    }
}
