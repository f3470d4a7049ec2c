use vstd::prelude::*;

verus! {

pub exec const PAGES: usize
    ensures
        PAGES == 8,
{
    let p = 2 * 4;
    proof {
        assume(p == 8);
    }
    p
}

} // verus!
