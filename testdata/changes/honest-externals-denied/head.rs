use vstd::prelude::*;

verus! {

#[verifier::deny(externals_available_without_declaration)]
pub fn host_name_len(n: usize) -> (r: usize)
    ensures
        r <= 255,
{
    if n > 255 { 255 } else { n }
}

} // verus!
