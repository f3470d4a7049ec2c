// Mistake: open with an unknown scope.
verus! {
pub open(everyone) spec fn f() -> bool { true }
}
