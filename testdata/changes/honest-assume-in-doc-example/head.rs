use vstd::prelude::*;

verus! {

/// Adds one. Proved without `admit()`, `#[verifier::external_body]` or `axiom fn`:
///
/// ```
/// verus! {
///     #[verifier::external_body]
///     axiom fn cheat() ensures false { assume(false); admit(); }
/// }
/// ```
#[doc = "#[verifier::external] assume_specification[ x ]"]
pub fn inc(x: u8) -> (r: u8)
    requires
        x < 255,
    ensures
        r == x + 1,
{
    x + 1
}

} // verus!
