use vstd::prelude::*;

verus! {

pub struct Mac;

impl Mac {
    pub uninterp spec fn tag(key: int, msg: int) -> int;

    #[verifier(external_body)]
    pub proof fn unforgeable(k: int, a: int, b: int)
        requires
            Self::tag(k, a) == Self::tag(k, b),
        ensures
            a == b,
    {
        unimplemented!()
    }
}

} // verus!
