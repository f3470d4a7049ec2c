// Functions of every kind that mutants are written for.
use vstd::prelude::*;

verus! {

#[inline]
#[cfg(not(verus_only))]
#[must_use]
pub fn fib(n: u32, Ghost(g): Ghost<int>) -> (r: u32)
    requires
        n < 20,
    ensures
        r == n || n > 1,
    decreases n,
{
    if n < 2 {
        n
    } else {
        self::fib(n - 1, Ghost(1)) + fib(n - 2, Ghost(g + 1))
    }
}

/// The documentation stays behind.
// And so does this.
fn shadowed(shadow: fn(u32) -> u32) -> u32 {
    shadow(1)
}

pub struct Stack<T> {
    items: Vec<T>,
}

impl<T: Clone> Stack<T>
    where T: Copy,
{
    spec fn view(&self) -> Seq<T> {
        self.items@
    }

    pub fn push(&mut self, x: T, times: u32)
        ensures
            self@.len() > 0,
        decreases times,
    {
        if times > 0 {
            self.items.push(x);
            self.push(x, times - 1);
            Self::twice(1);
        }
    }

    fn twice(n: u32) -> u32 {
        if n == 0 { 0 } else { Self::twice(n - 1) + 2 }
    }
}

pub trait Shape<'a, const N: usize, T: Copy = u8>: Sized
    where T: PartialEq,
{
    type Unit;

    spec fn inv(&self) -> bool;

    fn area(&self, pair: (T, u32), scale: u32) -> (r: Self::Unit)
        requires
            self.inv(),
        // Before the body.
        ;

    fn doubled(self, by: u32) -> u32
    {
        if by > 1 { self.doubled(by - 1) } else { 2 }
    }
}

pub struct Square(u32);

impl<'a> Shape<'a, 3> for Square {
    type Unit = u64;

    spec fn inv(&self) -> bool {
        true
    }

    fn area(&self, (w, h): (u8, u32), mut scale: u32) -> Self::Unit
        // Before the body.
    {
        scale = scale + self.0;
        scale as u64
    }
}

pub trait Plain {
    fn plain(&self) -> u32 {
        1
    }
}

impl Plain for u8 {
    fn plain(&self) -> u32 {
        if *self > 3 { 2 } else { (*self + 1).plain() }
    }
}

mod inside {
    use super::*;

    fn deep(x: bool) -> bool {
        let not = |y: bool| -> (r: bool) requires y ensures !r { !y };
        not(x)
    }
}

} // verus!

pub fn outside(x: u32) -> u32 {
    x + 1
}

fn without_one() {}
