use vstd::prelude::*;

verus! {

pub trait Convert<T>: Sized {
    type Error;

    spec fn spec_convert(t: T) -> Result<Self, Self::Error>;

    fn convert(t: T) -> (res: Result<Self, Self::Error>)
        ensures
            res == Self::spec_convert(t),
    ;
}

} // verus!
