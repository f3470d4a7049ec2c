use vstd::prelude::*;

pub mod policy {
    use vstd::prelude::*;

    verus! {

    pub fn assume(role: u8) -> (r: u8)
        ensures
            r == role,
    {
        role
    }

    } // verus!
}

macro_rules! admit {
    ($e:expr) => {
        assert($e)
    };
}

verus! {

pub fn login(role: u8) -> (r: u8)
    ensures
        r == role,
{
    policy::assume(role)
}

} // verus!
