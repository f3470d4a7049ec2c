// Mistake: a block in a loop clause needs parentheses.
verus! {
fn f() {
    while i < n
        invariant { let k = 1; k > 0 } decreases n
    { }
}
}
