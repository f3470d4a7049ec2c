// Mistake: there is no ghost parameter keyword.
verus! {
proof fn f(ghost x: int) {}
}
