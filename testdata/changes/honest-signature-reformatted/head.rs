use vstd::prelude::*;

verus! {

pub fn same<T, U>(
    x: T,
    _y: U,
) -> (r: T)
    where
        T: Copy,
        U: Copy,
{
    x
}

} // verus!
