use vstd::prelude::*;

verus! {

pub fn grade(x: u32) -> (r: u32)
    ensures
        r <= 3,
{
    match x {
        0 => 0,
        1..=10 => 1,
        _ => 3,
    }
}

} // verus!
