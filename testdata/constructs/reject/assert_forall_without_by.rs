// Mistake: assert forall without its by block.
verus! {
proof fn f() {
    assert forall|x: int| x == x;
}
}
