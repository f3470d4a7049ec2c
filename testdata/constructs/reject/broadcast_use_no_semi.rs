// Mistake: no semicolon after broadcast use.
verus! {
broadcast use vstd::seq::group_seq_axioms
fn f() {}
}
