// Mistake: the binder of forall is not closed.
verus! {
spec fn f() -> bool { forall|x: int x > 0 }
}
