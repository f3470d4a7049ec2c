use vstd::prelude::*;

verus! {

/// Puts four bits into a word, at the fourth.
pub fn bits_put_field(word: u32, v: u32) -> (r: u32)
    requires
        v < 16,
    ensures
        r & 0xf0 == v << 4,
{
    let r = (word & !0xf0u32) | (v << 4);
    assert(r & 0xf0 == v << 4) by (bit_vector)
        requires
            r == (word & !0xf0u32) | (v << 4),
            v < 16,
    ;
    r
}

} // verus!
