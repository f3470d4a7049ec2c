// Covers: tabs, form feeds, non-ASCII white space (U+0085, U+200E, U+2028) between tokens, and non-ASCII identifiers. Source: the Rust reference, white space and identifiers.
fn	f(){‎ let  été = 1; let 漢 = été; let naïve = 漢; }
