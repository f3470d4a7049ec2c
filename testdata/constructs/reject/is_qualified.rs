// Mistake: is takes one bare identifier.
verus! {
spec fn f(x: E) -> bool { x is E::A }
}
