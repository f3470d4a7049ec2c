//! A file with comments where ghost code goes.
use vstd::prelude::*;

verus! {

// before { a spec fn
/// doc of the spec fn
#[verifier::inline] // trailing
spec fn s(x: int) -> int { /* { */ x /* } */ }

/* block
   comment */
/// doc kept
pub fn f(
    x: u8, // the input
    /* ghost: */ Ghost(g): Ghost<int>, // gone
) -> /* result */ (r: /* type */ u8) // end
    requires // needs
        x < 10, // small
        "}" == "}",
    ensures
        r == x + 1, /* } */
// between
{
    // in the body
    let /* mode */ ghost y = "{"; // a string
    assert(x < 10 /* ) */); // after
    /// doc of an assertion
    assert(true);
    let c = '{'; // a char
    x + 1 // tail
}

} // verus!

pub fn run(out: &mut Vec<String>) {
    out.push(format!("{}", f(3, Ghost::assume_new())));
}
