// Mistake: requires given twice.
verus! {
fn f(x: u8)
    requires x > 0,
    requires x > 1,
{ }
}
