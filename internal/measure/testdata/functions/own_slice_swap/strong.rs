use vstd::prelude::*;

verus! {

/// Puts a byte at an index.
#[verifier::external_body]
fn put(s: &mut [u8], i: usize, x: u8)
    requires
        i < old(s)@.len(),
    ensures
        s@ == old(s)@.update(i as int, x),
{
    s[i] = x;
}

/// Swaps two bytes.
pub fn slice_swap(s: &mut [u8], i: usize, j: usize)
    requires
        i < old(s)@.len(),
        j < old(s)@.len(),
    ensures
        s@ == old(s)@.update(i as int, old(s)@[j as int]).update(j as int, old(s)@[i as int]),
{
    let a = s[i];
    let b = s[j];
    put(s, i, b);
    put(s, j, a);
}

} // verus!
