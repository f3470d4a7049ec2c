// Mistake: global takes size_of or layout.
verus! {
global align_of usize == 8;
}
