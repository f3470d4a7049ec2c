use vstd::prelude::*;

verus! {

pub fn put<T>(slot: Option<T>, x: T) -> (r: Option<T>)
{
    Some(x)
}

} // verus!
