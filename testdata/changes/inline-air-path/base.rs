use vstd::prelude::*;

verus! {

pub proof fn lemma_mod(x: int, m: int)
    requires
        m > 0,
    ensures
        0 <= x % m < m,
{
    vstd::arithmetic::div_mod::lemma_mod_bound(x, m);
}

} // verus!
