use vstd::prelude::*;

verus! {

pub struct Pair<T> {
    pub a: T,
    pub b: T,
}

/// The pair with the greater value first.
pub fn generic_pair(p: Pair<u16>) -> (r: Pair<u16>)
    ensures
        r.a >= r.b,
{
    if p.a < p.b {
        Pair { a: p.b, b: p.a }
    } else {
        p
    }
}

} // verus!
