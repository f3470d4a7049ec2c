use vstd::prelude::*;

verus! {

use facts::trust_me as by_arithmetic;

mod facts {
    use super::*;

    pub proof fn trust_me(b: bool)
        ensures
            b,
    {
        admit();
    }
}

pub fn small(a: u32) -> (r: u32)
    ensures
        r <= a,
{
    assert(a / 2 <= a) by {
        by_arithmetic(a / 2 <= a);
    }
    a / 2
}

} // verus!
