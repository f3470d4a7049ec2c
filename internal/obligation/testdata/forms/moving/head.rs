use vstd::prelude::*;

verus! {

pub const LIMIT: u32 = 11;

pub open spec fn twice(x: int) -> int { x + x }

pub open spec fn within(x: u32) -> bool { x < LIMIT && twice(x as int) < 30 }

pub open spec fn total(s: Seq<u8>) -> int
    decreases s.len(),
{
    if s.len() == 0 { 0 } else { total(s.drop_last()) + s.last() }
}

pub struct Bag<T> { pub items: Vec<T>, pub n: u32 }

impl<T> Bag<T> {
    pub closed spec fn wf(&self) -> bool { self.items.len() == self.n && Self::small(self.n) }

    pub open spec fn small(n: u32) -> bool { within(n) }

    pub fn grow(&mut self, by: u32) -> (r: bool)
        requires
            old(self).wf(),
            Self::small(by),
        ensures
            self.wf(),
            crate::within(self.n) || Bag::<T>::small(by),
    {
        true
    }
}

impl<T> Bag<T> {
    pub const MAX: u32 = 8;

    pub fn capped(&self, by: u32) -> (r: u32)
        ensures
            r <= Self::MAX,
    {
        0
    }
}

impl<T> Clone for Bag<T> {
    fn clone(&self) -> (r: Self)
        ensures
            r.n <= 9,
    {
        Bag { items: Vec::new(), n: 9 }
    }
}

pub trait Shape {
    open spec fn ok(&self) -> bool { true }

    fn area(&self) -> (r: u32)
        ensures
            self.ok(),
    ;
}

pub struct Square { pub n: u32 }

pub open spec fn good(s: Square) -> bool { Shape::ok(&s) }

impl Shape for Square {
    open spec fn ok(&self) -> bool { self.n > 0 }

    fn area(&self) -> (r: u32) {
        1
    }
}

pub fn judge(s: Square) -> (r: bool)
    ensures
        r == good(s),
{
    true
}

pub mod inner {
    use super::*;

    pub fn sum(s: &Vec<u8>) -> (r: u64)
        ensures
            r == total(s@),
            within(3),
    {
        0
    }
}

}
