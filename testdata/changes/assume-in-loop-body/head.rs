use vstd::prelude::*;

verus! {

pub fn count_down(n: u32) -> (r: u32)
    ensures
        r == 0,
{
    let mut k = n;
    'down: while k > 0
        decreases k,
    {
        proof {
            assume(k > 0);
        }
        k = k - 1;
    }
    k
}

} // verus!
