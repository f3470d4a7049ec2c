// Mistake: let without a pattern.
fn f() { let = 1; }
