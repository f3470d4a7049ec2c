use vstd::prelude::*;

verus! {

/// The sum of two values that may be missing.
pub fn early_return(a: Option<u8>, b: Option<u8>) -> (r: Option<u16>)
    ensures
        r == if a is Some && b is Some { Some((a->0 + b->0) as u16) } else { None },
{
    let x = a?;
    let y = b?;
    Some(x as u16 + y as u16)
}

} // verus!
