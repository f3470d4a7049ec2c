// Mistake: decreases before ensures.
verus! {
spec fn f(x: int) -> int
    decreases x
    ensures x > 1,
{ 0 }
}
