use vstd::prelude::*;

verus! {

pub trait Convert<T>: Sized {
    type Error;

    spec fn spec_convert(t: T) -> Result<Self, Self::Error>;

    fn convert(t: T) -> (res: Result<Self, Self::Error>)
        ensures
            Self::spec_convert(t) == Self::spec_convert(t),
    ;
}

pub struct Small(pub u8);

impl Convert<u64> for Small {
    type Error = ();

    open spec fn spec_convert(t: u64) -> Result<Small, ()> {
        if t < 256 { Ok(Small(t as u8)) } else { Err(()) }
    }

    fn convert(t: u64) -> Result<Small, ()> {
        if t < 256 { Ok(Small(t as u8)) } else { Err(()) }
    }
}

} // verus!
