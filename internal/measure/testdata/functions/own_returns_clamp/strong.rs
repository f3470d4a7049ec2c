use vstd::prelude::*;

verus! {

/// A value kept between two bounds.
pub fn returns_clamp(x: i32, lo: i32, hi: i32) -> (r: i32)
    requires
        lo <= hi,
    returns
        if x < lo { lo } else if x > hi { hi } else { x },
{
    if x < lo {
        lo
    } else if x > hi {
        hi
    } else {
        x
    }
}

} // verus!
