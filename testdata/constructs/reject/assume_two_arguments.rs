// Mistake: assume with two expressions.
verus! {
proof fn f() {
    assume(true, false);
}
}
