use vstd::prelude::*;

verus! {

pub fn cap(x: u32) -> (r: u32)
    ensures
        r <= 100,
{
    let mut y = x;
    if y > 100 {
        y = 100;
    }
    y
}

} // verus!
