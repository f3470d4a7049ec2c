use vstd::prelude::*;

#[verus_verify]
pub struct Pair { pub a: u32, pub b: u32 }

#[verus_verify]
#[verus_spec(r =>
    requires x < 100,
    ensures r == x + 1,
)]
pub fn increment(x: u32) -> u32 {
    proof! { assert(x < 100); }
    proof_decl! { let ghost g = x as int; }
    x + 1
}

#[verus_verify]
#[verus_spec(
    requires n < 100,
)]
pub fn count(n: u32) -> u32 {
    let mut i = 0;
    let mut s = 0;
    #[cfg_attr(verus_keep_ghost, verus_spec(invariant i <= n, decreases n - i))]
    while i < n {
        proof! { assert(i < n); }
        s += increment(i);
        i += 1;
    }
    s
}

#[verus_verify]
impl Pair {
    #[verus_spec(ensures true)]
    pub fn sum(&self) -> u32 { proof! { admit(); } self.a + self.b }
}

pub fn run(out: &mut Vec<String>) {
    for n in [0, 1, 10] { out.push(format!("{}", count(n))); }
    out.push(format!("{}", Pair { a: 1, b: 2 }.sum()));
}
