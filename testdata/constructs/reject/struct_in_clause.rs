// Mistake: a struct literal in a clause needs parentheses (verus#296).
verus! {
fn f(x: u8) -> (r: S)
    ensures
        r == S { a: x },
{ S { a: x } }
}
