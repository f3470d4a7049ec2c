// Mistake: no type after ->.
fn f() -> { }
