// Mistake: assume_specification has no body.
verus! {
assume_specification[ f ](x: u8) -> u8 { x }
}
