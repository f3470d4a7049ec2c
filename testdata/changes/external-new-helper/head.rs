use vstd::prelude::*;

verus! {

#[verifier::external]
fn trace(n: u32) {
    println!("{n}");
}

pub fn log_size(n: u32) -> (r: u32)
    ensures
        r == n,
{
    n
}

} // verus!
