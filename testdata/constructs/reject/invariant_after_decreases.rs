// Mistake: loop invariant after decreases.
verus! {
fn f() {
    while i < n
        decreases n - i
        invariant i <= n
    { }
}
}
