use vstd::prelude::*;

verus! {

pub struct Celsius {
    pub t: i32,
}

} // verus!
