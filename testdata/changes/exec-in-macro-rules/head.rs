use vstd::prelude::*;

macro_rules! bound {
    ($x:expr) => {
        if $x > 9 { 0 } else { $x }
    };
}

verus! {

pub fn bound(x: u8) -> (r: u8)
    ensures
        r <= 9,
{
    bound!(x)
}

} // verus!
