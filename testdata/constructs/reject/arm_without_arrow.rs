// Mistake: a match arm without =>.
fn f() { match x { 1 { } } }
