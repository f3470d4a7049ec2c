use vstd::prelude::*;

verus! {

/// The first even numbers.
pub fn seq_new_evens(n: u8) -> (r: Vec<u16>)
    ensures
        r@.len() == n,
        n > 0 ==> r@[0] == 0,
{
    let mut r: Vec<u16> = Vec::new();
    let mut i: u8 = 0;
    while i < n
        invariant
            i <= n,
            r@.len() == i,
            forall|k: int| 0 <= k < i ==> r@[k] == 2 * k,
        decreases n - i,
    {
        r.push(2 * i as u16);
        i += 1;
    }
    assert(r@ =~= Seq::new(n as nat, |i: int| (2 * i) as u16));
    r
}

} // verus!
