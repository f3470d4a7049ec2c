use vstd::prelude::*;

verus! {

/// The sum of two values that may be missing.
pub fn early_return(a: Option<u8>, b: Option<u8>) -> (r: Option<u16>)
    ensures
        a is None || b is None ==> r is None,
{
    let x = a?;
    let y = b?;
    Some(x as u16 + y as u16)
}

} // verus!
