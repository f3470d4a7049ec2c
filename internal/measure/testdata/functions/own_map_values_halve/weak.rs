use vstd::prelude::*;

verus! {

/// Every value halved.
pub fn map_values_halve(v: &Vec<u8>) -> (r: Vec<u8>)
    ensures
        r@.len() == v@.len(),
{
    let mut r: Vec<u8> = Vec::new();
    let mut i: usize = 0;
    while i < v.len()
        invariant
            i <= v.len(),
            r@.len() == i,
            forall|k: int| 0 <= k < i ==> r@[k] == v@[k] / 2,
        decreases v.len() - i,
    {
        r.push(v[i] / 2);
        i += 1;
    }
    assert(r@ =~= v@.map_values(|x: u8| (x / 2) as u8));
    r
}

} // verus!
