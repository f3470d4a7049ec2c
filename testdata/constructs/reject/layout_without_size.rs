// Mistake: global layout without size.
verus! {
global layout usize is align == 8;
}
