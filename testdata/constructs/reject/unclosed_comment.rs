// Mistake: a nested block comment closed once only.
fn f() {} /* outer /* inner */
