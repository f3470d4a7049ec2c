use vstd::prelude::*;

verus! {

pub fn pick(o: Option<u8>) -> (r: u8)
    requires
        o is Some,
    ensures
        o == Some(r),
{
    proof {
        let any_value = arbitrary::<int>();
        if o is None {
            proof_from_false::<int>();
        }
    }
    match o {
        Some(x) => x,
        None => 0,
    }
}

} // verus!
