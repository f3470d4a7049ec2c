use vstd::prelude::*;

verus! {

pub mod env {
    use super::*;

    pub fn env(n: usize) -> (r: usize)
        ensures
            r == n,
    {
        n
    }
}

} // verus!
