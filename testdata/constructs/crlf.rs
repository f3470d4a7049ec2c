// Covers: CRLF line ends in code, strings and comments. Source: the Rust reference, input format.
use vstd::prelude::*;

verus! {

/// doc
fn f(x: u8) -> (r: u8)
    ensures
        r == x, // same
{
    let s = "two
lines \
    joined";
    /* block
       comment */
    x
}

} // verus!
