use vstd::prelude::*;

verus! {

mod more_std_specs {
    use super::*;

    pub assume_specification<T: Clone>[ <Option<T> as Clone>::clone ](o: &Option<T>) -> (r: Option<T>)
        ensures
            r == *o,
    ;
}

pub fn shorter(a: &str, b: &str) -> (r: bool)
{
    true
}

} // verus!
