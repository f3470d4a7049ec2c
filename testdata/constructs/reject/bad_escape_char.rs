// Mistake: a character literal with two characters.
fn f() { let c = 'ab'; }
