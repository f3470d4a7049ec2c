use vstd::prelude::*;

verus! {

pub struct Celsius {
    pub t: i32,
}

impl Clone for Celsius {
    fn clone(&self) -> (r: Self)
        ensures
            r == *self,
    {
        Celsius { t: self.t }
    }
}

} // verus!
