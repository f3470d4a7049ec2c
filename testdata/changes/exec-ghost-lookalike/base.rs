use vstd::prelude::*;

verus! {

pub struct Ghostly(pub u8);

pub fn tracked2(x: Ghostly) -> (r: u8)
    ensures
        r == x.0,
{
    x.0
}

pub fn run() -> (r: u8)
{
    tracked2(Ghostly(1))
}

} // verus!
