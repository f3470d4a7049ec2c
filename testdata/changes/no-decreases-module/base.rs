use vstd::prelude::*;

verus! {

pub mod search {
    use super::*;

    pub fn search(v: &Vec<u8>, x: u8) -> (r: bool)
        ensures
            r ==> exists|i: int| 0 <= i < v.len() && v[i] == x,
    {
        let mut k: usize = 0;
        while k < v.len()
            invariant
                k <= v.len(),
            decreases v.len() - k,
        {
            if v[k] == x {
                return true;
            }
            k = k + 1;
        }
        false
    }
}

} // verus!
