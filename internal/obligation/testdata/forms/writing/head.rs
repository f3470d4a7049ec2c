use vstd::prelude::*;

verus! {

pub struct Pair { pub a: u32, pub b: Vec<u8> }

pub enum Slot { Empty, Full { v: Vec<u8>, n: u8 }, Code(u8) }

pub mod deep {
    use super::*;

    pub mod deeper {
        use super::*;

        pub struct Ring<'a, T: Copy, const N: usize> where T: PartialEq {
            pub items: &'a [T; N],
            pub at: usize,
        }

        impl<'a, T: Copy, const N: usize> Ring<'a, T, N> where T: PartialEq {
            pub closed spec fn wf(&self) -> bool {
                self.at < N
            }

            // A method with type parameters of its own and a lifetime.
            pub fn seek<'b, K: Copy>(&'b mut self, to: usize, key: K) -> (old_at: usize)
                where K: PartialEq
                requires
                    old(self).wf(),
                    to < N,
                ensures
                    self.wf(),
                    old_at == old(self).at,
            {
                let r = self.at;
                self.at = to;
                r
            }
        }
    }
}

// Parameters renamed and swapped.
pub fn sub(y: u32, x: u32) -> (out: u32)
    requires
        y >= x,
    ensures
        out == y - x,
        out <= y,
{
    y - x
}

// A name of head's is bound in base's clause.
pub fn bound(w: &Vec<u8>) -> (r: bool)
    ensures
        r ==> forall|i: int| 0 <= i < w.len() ==> w[i] > 0,
{
    true
}

pub fn generic<X: Copy, Y>(a: X, b: &Y) -> (r: (X, bool))
    ensures
        r.0 == a,
{
    (a, true)
}

// A `&&&` list, a block, closures, a macro, a struct's shorthand.
pub fn forms(p: &mut Pair, f: impl Fn(u32) -> u32, n: u32) -> (q: Pair)
    requires
        ({
            &&& f.requires((n,))
            &&& old(p).a == n
        }),
    ensures
        ({
            let a = n;
            q == Pair { a, b: q.b }
        }),
        Seq::new(3, |i: int| i + n)[0] == n,
        p.b@ =~= old(p).b@.map_values(|n: u8| n),
{
    Pair { a: n, b: Vec::new() }
}

pub fn tracked_parts(Ghost(g): Ghost<int>, Tracked(t): Tracked<&mut Pair>, mut n: u8, c: u8, d: u8) -> (res: u8)
    requires
        g > 0,
        c < d,
        old(t).a == n,
    ensures
        t.a <= c,
    returns
        n,
{
    n
}

pub fn product<T>(a: u64, b: u64, t: T) -> (r: u64)
    where T: Copy,
    ensures
        r <= a * b,
{
    1
}

pub fn slots(s: Slot) -> (o: (Option<Slot>, [u8; 4]))
    ensures
        o.1@.len() == 4,
{
    (None, [0; 4])
}

pub trait Store<K, V> where K: Copy {
    type Item;

    spec fn holds(&self, k: K) -> bool;

    fn put(&mut self, key: K, v: V) -> (done: Option<Self::Item>)
        requires
            old(self).holds(key),
        ensures
            self.holds(key),
    ;

    spec fn limit() -> int;
}

pub struct Shelf { n: u64 }

impl Store<u32, u8> for Shelf {
    type Item = Pair;

    closed spec fn holds(&self, k: u32) -> bool { self.n > k }

    closed spec fn limit() -> int { 3 }

    fn put(&mut self, k: u32, value: u8) -> (done: Option<Self::Item>) {
        None
    }
}

impl Store<u16, bool> for Vec<u16> {
    type Item = u8;

    closed spec fn holds(&self, k: u16) -> bool { self@.contains(k) }

    closed spec fn limit() -> int { 4 }

    fn put(&mut self, k: u16, value: bool) -> (done: Option<Self::Item>)
        ensures
            done.is_none(),
    {
        None
    }
}

#[verifier::external]
pub fn swap_in<T: Copy>(dest: &mut T, src: T) -> T {
    let old = *dest;
    *dest = src;
    old
}

pub assume_specification<T: Copy>[ swap_in::<T> ](dest: &mut T, src: T) -> (r: T)
    ensures
        *dest == src,
;

#[cfg(feature = "x")]
proof fn lemma(tracked a: &Pair, b: nat)
    requires
        a.a > 0,
    ensures
        b >= 0,
{
}

} // verus!

#[verus_verify]
impl Pair {
    #[verus_spec(r =>
        requires
            self.a < 100,
        ensures
            r > self.a,
    )]
    pub fn next(&self) -> u32 {
        self.a + 1
    }
}

#[verus_spec(ret =>
    requires
        x < 100,
    ensures
        ret > x,
)]
#[inline]
pub fn plain(x: u8) -> u8 {
    x + 1
}
