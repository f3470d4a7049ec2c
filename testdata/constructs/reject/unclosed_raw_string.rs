// Mistake: a raw string closed with too few #.
fn f() { let s = r##"abc"#; }
