// Mistake: spec(..) takes only `checked`.
verus! {
spec(unchecked) fn f() -> bool { true }
}
