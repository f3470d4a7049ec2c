use vstd::prelude::*;

verus! {

/// An entry.
pub(crate) struct Entry<K, V> { pub key: K, /* its key */ pub value: V }

#[doc(alias = "grade")]
pub enum Level {
    /// Below five.
    Low,
    High(u8),
}

pub fn level(n: u8) -> (l: Level)
    ensures l is Low ==> n < 5,
{
    if n < 5 {
        Level::Low
    } else {
        Level::High(n)
    }
}

}
