// Mistake: an attribute with nothing after it.
fn f() {}
#[inline]
