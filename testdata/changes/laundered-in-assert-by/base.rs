use vstd::prelude::*;

verus! {

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
    a / 2
}

} // verus!
