use vstd::prelude::*;

verus! {

/// Whether a value is in a set, which is kept as a list.
pub fn set_member(v: &Vec<u16>, x: u16) -> (r: bool)
    ensures
        r == v@.to_set().contains(x),
{
    let mut i: usize = 0;
    while i < v.len()
        invariant
            i <= v.len(),
            forall|k: int| 0 <= k < i ==> v@[k] != x,
        decreases v.len() - i,
    {
        if v[i] == x {
            assert(v@.contains(v@[i as int]));
            return true;
        }
        i += 1;
    }
    false
}

} // verus!
