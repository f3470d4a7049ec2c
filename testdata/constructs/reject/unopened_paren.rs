// Mistake: a closing parenthesis without an opening one.
fn f() { g(1)) }
