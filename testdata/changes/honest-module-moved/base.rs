use vstd::prelude::*;

verus! {

pub mod tools {
    use vstd::prelude::*;

    pub fn dec(x: u8) -> (r: u8)
        requires
            x > 0,
        ensures
            r == x - 1,
    {
        x - 1
    }
}

pub mod app {
}

} // verus!
