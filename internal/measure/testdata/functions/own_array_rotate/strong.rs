use vstd::prelude::*;

verus! {

/// The values one place to the left.
pub fn array_rotate(a: [u16; 3]) -> (r: [u16; 3])
    ensures
        r@ == seq![a[1], a[2], a[0]],
{
    [a[1], a[2], a[0]]
}

} // verus!
