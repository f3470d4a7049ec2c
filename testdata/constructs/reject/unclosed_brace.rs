// Mistake: a function body is not closed.
fn f() { let x = 1;
