use vstd::prelude::*;

verus! {

pub fn id(x: u8) -> (r: u8)
    ensures
        r == x,
{
    x
}

} // verus!
mod outer {
    pub mod middle {
        pub mod inner {
            use vstd::prelude::*;

            verus! {

            pub proof fn deep(x: int)
                ensures
                    x <= x + 1,
            {
                assume(false);
            }

            } // verus!
        }
    }
}
