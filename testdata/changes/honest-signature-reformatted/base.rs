use vstd::prelude::*;

verus! {

pub fn same<T: Copy, U: Copy>(x: T, _y: U) -> T
{
    x
}

} // verus!
