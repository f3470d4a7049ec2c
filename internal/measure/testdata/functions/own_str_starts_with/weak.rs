use vstd::prelude::*;

verus! {

/// Whether a text begins with a character.
pub fn str_starts_with(s: &str, c: char) -> (r: bool)
    ensures
        r ==> s@.len() > 0,
{
    if s.unicode_len() == 0 {
        return false;
    }
    s.get_char(0) == c
}

} // verus!
