// Mistake: a string without an end.
fn f() { let s = "abc; }
