use vstd::prelude::*;

verus! {

/// A product and a margin, if they fit.
pub fn checked_area(w: u16, h: u16, margin: u16) -> (r: Option<u16>)
    ensures
        r is Some ==> w * h <= u16::MAX,
{
    match w.checked_mul(h) {
        None => None,
        Some(p) => p.checked_add(margin),
    }
}

} // verus!
