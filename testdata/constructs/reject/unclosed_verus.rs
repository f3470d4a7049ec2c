// Mistake: the verus! block is not closed.
verus! {
fn f() {}
