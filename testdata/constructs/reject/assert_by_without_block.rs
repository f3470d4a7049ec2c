// Mistake: by without a prover or a block.
verus! {
proof fn f() {
    assert(true) by;
}
}
