// Mistake: assume without an expression.
verus! {
proof fn f() {
    assume();
}
}
