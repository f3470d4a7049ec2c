// Mistake: reveal of two functions at once.
verus! {
proof fn f() { reveal(a, b); }
}
