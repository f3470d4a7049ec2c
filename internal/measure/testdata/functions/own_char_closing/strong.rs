use vstd::prelude::*;

verus! {

/// The bracket that closes another.
pub fn char_closing(c: char) -> (r: Option<char>)
    ensures
        c == '(' ==> r == Some(')'),
        c == '[' ==> r == Some(']'),
        c != '(' && c != '[' ==> r is None,
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
