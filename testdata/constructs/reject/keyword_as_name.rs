// Mistake: a keyword as the name of a function.
fn match() { }
