use vstd::prelude::*;

verus! {

pub proof fn rearrange(a: int, b: int, c: int)
    ensures
        (a + b) * c == b * c + a * c,
{
    calc! {
        (==)
        (a + b) * c; {
            vstd::arithmetic::mul::lemma_mul_is_distributive_add_other_way(c, a, b);
        }
        a * c + b * c; {
        }
        b * c + a * c;
    }
}

} // verus!
