use vstd::prelude::*;

verus! {

pub fn put<T: Copy>(slot: &mut Option<T>, x: T) -> (r: Option<T>)
{
    Some(x)
}

} // verus!
