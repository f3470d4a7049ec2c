// Mistake: the binder of forall is missing altogether (verus#1380, #2733: once a panic).
verus! {
spec fn f() -> bool { forall (x: int) x > 0 }
}
