// Mistake: a parameter without a type.
fn f(x) { }
