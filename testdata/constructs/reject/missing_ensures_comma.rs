// Mistake: no comma between two clauses.
verus! {
fn f(x: u8)
    ensures
        x > 0
        x > 1
{ }
}
