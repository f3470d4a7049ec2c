use vstd::prelude::*;

verus! {

pub struct Entry<K, V> {
    pub key: K,
    pub value: V,
}

pub enum Level { Low, High(u8) }

pub fn level(n: u8) -> (l: Level)
    ensures
        l is Low ==> n < 5,
{
    if n < 5 { Level::Low } else { Level::High(n) }
}

}
