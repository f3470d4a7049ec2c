// Mistake: else without if.
fn f() { else { } }
