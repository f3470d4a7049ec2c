use vstd::prelude::*;

verus! {

pub fn step(x: u32) -> (r: u32)
    requires
        x < 100,
{
    let mut y = x;
    if x > 10 {
        let ghost before = y;
        y = y + 1;
    }
    y
}

} // verus!
