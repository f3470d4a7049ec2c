// Mistake: <==> does not chain.
verus! {
spec fn f() -> bool { a <==> b <==> c }
}
