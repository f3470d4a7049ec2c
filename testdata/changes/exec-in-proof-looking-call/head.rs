use vstd::prelude::*;

verus! {

fn lemma_reset(x: &mut u8)
{
    *x = 0;
}

pub fn level(x: u8) -> (r: u8)
{
    let mut y = x;
    lemma_reset(&mut y);
    y
}

} // verus!
