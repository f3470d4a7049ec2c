use vstd::prelude::*;

verus! {

/// The sum of bytes.
pub fn fold_total(v: &Vec<u8>) -> (r: u64)
    requires
        v@.len() <= 1000,
    ensures
        r <= 255 * v@.len(),
{
    let mut r: u64 = 0;
    let mut i: usize = 0;
    let ghost f = |a: int, x: u8| a + x;
    while i < v.len()
        invariant
            i <= v.len() <= 1000,
            f == (|a: int, x: u8| a + x),
            r <= i * 255,
            r == v@.take(i as int).fold_left(0int, f),
        decreases v.len() - i,
    {
        proof {
            assert(v@.take(i + 1).drop_last() =~= v@.take(i as int));
        }
        r += v[i] as u64;
        i += 1;
    }
    assert(v@.take(i as int) =~= v@);
    r
}

} // verus!
