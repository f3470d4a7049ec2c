// Mistake: an operator without a right operand.
fn f() { let x = 1 + ; }
