use vstd::prelude::*;

verus! {

pub fn plain(x: (u8, u8)) -> (u8, u8) requires x.0 < x.1 { (x.1, x.0) }

pub fn named((a, b): (u8, u8)) -> ((c, d): (u8, u8)) ensures c == b, d == a { (b, a) }

pub fn to_fn(k: u8) -> (f: impl Fn(u8) -> u8) { move |x: u8| x ^ k }

pub fn unit() -> (r: ()) ensures true { () }

pub fn where_clause<T>(x: T) -> (r: T)
    where
        T: Clone,
    requires true,
    ensures r == x,
{ x }

pub fn no_trailing(x: u8)->(r: u8)requires x<5 ensures r<6{x+1}

pub fn mutable(mut x: u8) -> u8 { x = x / 2; x }

pub unsafe fn dangerous(x: u8) -> (r: u8) requires x > 0 { x - 1 }

pub fn braces(x: u8) -> (r: bool)
    ensures
        { &&& x >= 0 &&& true },
        #![trigger x]
        r == (x == 1),
{ x == 1 }

}

pub fn run(out: &mut Vec<String>) {
    out.push(format!("{:?} {:?} {} {:?}", plain((1, 2)), named((3, 4)), to_fn(5)(1), unit()));
    out.push(format!("{} {} {} {} {}", where_clause(1), no_trailing(2), mutable(9), unsafe { dangerous(4) }, braces(1)));
}
