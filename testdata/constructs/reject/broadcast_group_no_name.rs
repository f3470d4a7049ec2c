// Mistake: broadcast group without a name.
verus! {
broadcast group { a, b }
}
