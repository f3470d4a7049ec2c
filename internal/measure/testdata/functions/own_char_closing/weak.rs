use vstd::prelude::*;

verus! {

/// The bracket that closes another.
pub fn char_closing(c: char) -> (r: Option<char>)
    ensures
        r is Some <==> c == '(' || c == '[',
{
    if c == '(' {
        Some(')')
    } else if c == '[' {
        Some(']')
    } else {
        None
    }
}

} // verus!
