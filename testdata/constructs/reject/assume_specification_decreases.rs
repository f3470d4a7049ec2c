// Mistake: assume_specification takes no decreases.
verus! {
assume_specification[ f ](x: u8) -> (r: u8) decreases x;
}
