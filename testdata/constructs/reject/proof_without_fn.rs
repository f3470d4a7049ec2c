// Mistake: an item with a mode and no fn.
verus! {
proof lemma() {}
}
