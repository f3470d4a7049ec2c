use vstd::prelude::*;

verus! {

pub fn kept(x: u8) -> (r: u8)
    ensures
        r == x,
{
    x
}

fn largest_of_three(a: u8, b: u8, c: u8) -> (r: u8)
{
    if a >= b && a >= c { a } else if b >= c { b } else { c }
}

} // verus!
