// Mistake: ( closed by ].
fn f() { g(1] }
