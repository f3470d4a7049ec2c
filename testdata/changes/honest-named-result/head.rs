use vstd::prelude::*;

verus! {

pub fn seven() -> (n: u32)
{
    7
}

pub fn nothing() -> ()
{
}

} // verus!
