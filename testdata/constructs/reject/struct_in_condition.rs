// Mistake: a struct literal in a condition without parentheses.
fn f() { if x == S { a: 1 } { } }
