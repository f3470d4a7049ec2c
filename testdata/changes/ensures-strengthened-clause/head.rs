use vstd::prelude::*;

verus! {

pub fn find(v: &Vec<u8>, x: u8) -> (r: Option<usize>)
    ensures
        r matches Some(i) ==> i < v.len() && v[i as int] == x,
        r matches Some(i) ==> forall|j: int| 0 <= j < i ==> v[j] != x,
{
    let mut i: usize = 0;
    while i < v.len()
        invariant
            i <= v.len(),
            forall|j: int| 0 <= j < i ==> v[j] != x,
        decreases v.len() - i,
    {
        if v[i] == x {
            return Some(i);
        }
        i = i + 1;
    }
    None
}

} // verus!
