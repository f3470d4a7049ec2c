use vstd::prelude::*;

verus! {

/// An optional outcome as the outcome of an option.
pub fn nested_transpose(x: Option<Result<u8, u16>>) -> (r: Result<Option<u8>, u16>)
    ensures
        x is None ==> r is Ok,
        x matches Some(Ok(v)) ==> r is Ok,
        x matches Some(Err(e)) ==> r is Err,
{
    match x {
        None => Ok(None),
        Some(Ok(v)) => Ok(Some(v)),
        Some(Err(e)) => Err(e),
    }
}

} // verus!
