use vstd::prelude::*;

macro_rules! saturate {
    ($($item:tt)*) => {
        verus! {
            #[verifier::external_body]
            $($item)*
        }
    };
}

saturate! {
    pub fn saturate(x: u8) -> (r: u8)
        ensures
            r <= 100,
    {
        if x > 100 { 100 } else { x }
    }
}
