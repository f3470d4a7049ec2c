// Mistake: ensures before requires.
verus! {
fn f(x: u8)
    ensures x > 0,
    requires x > 1,
{ }
}
