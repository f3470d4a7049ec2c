use vstd::prelude::*;

verus! {

pub exec const PAGES: usize
    ensures
        PAGES == 8,
{
    let p = 2 * 4;
    p
}

} // verus!
