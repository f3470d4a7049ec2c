// Mistake: &&& outside the start of a block.
verus! {
spec fn f() -> bool { g(a &&& b) }
}
