use vstd::prelude::*;

verus! {

proof fn accept(b: bool)
    ensures
        b,
{
    assume(b);
}

pub proof fn old_user(x: int)
    ensures
        x % 2 < 2,
{
    accept(x % 2 < 2);
}

pub fn fits(a: u32, b: u32) -> (r: bool)
    ensures
        r ==> a + b <= u32::MAX,
{
    proof {
        accept(a + b <= u32::MAX);
    }
    a <= 1000 && b <= 1000
}

} // verus!
