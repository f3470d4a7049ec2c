// One function for each operator, named like it. The golden file shows the mutants that this operator makes of it.
use vstd::prelude::*;

verus! {

pub const LIMIT: u32 = 10;

#[derive(Clone, Copy)]
pub struct Span {
    pub from: usize,
    pub to: usize,
    pub step: u8,
    pub seen: Ghost<int>,
    pub drawn: Ghost<int>,
}

#[derive(Clone, Copy)]
pub enum Side {
    Left,
    Right,
    Both,
}

pub fn arithmetic(a: i32, b: i32) -> (r: i32)
    requires
        a + b * 2 < 100,
    ensures
        r == a - b,
{
    let mut r = a + b * (a - b) / 7 % 5;
    r -= a;
    assert(r + 1 > r);
    let s = String::new() + "no arithmetic";
    -r
}

pub fn relational(a: u32, b: u32, s: &str) -> bool {
    let less = a < b;
    let empty = s == "";
    let positive = a > 0 && b != 0;
    if a >= b {
        return less;
    } else {
    }
    if a as u32 > b {
        return empty;
    }
    positive
}

pub fn boundary(v: &Vec<u32>, limit: u32) -> usize {
    let mut i: usize = 0;
    while i < v.len() && v[i] <= limit
        invariant
            i <= v.len(),
        decreases v.len() - i,
    {
        i += 1;
    }
    i
}

pub fn logical(a: bool, b: bool, c: bool) -> bool {
    a && b || c
}

pub fn bitwise(a: u32, b: u32) -> u32 {
    let mut r = !a & b;
    r |= a ^ b;
    r
}

pub fn shift(a: u32) -> u32 {
    let mut r = a << 3;
    r >>= 1;
    r + (a as u32 >> 2)
}

pub fn negate(a: bool, o: Option<u32>, v: &Vec<u32>) -> u32 {
    if a {
        return 1;
    }
    if !a {
        return 2;
    }
    while v.is_empty() {
        break;
    }
    match o {
        Some(x) if x.is_power_of_two() => x,
        _ => 0,
    }
}

pub fn condition(a: u32, o: Option<u32>) -> u32 {
    let mut r = 0;
    while r < a {
        r += 1;
    }
    if let Some(x) = o {
        r = x;
    }
    if let Some(x) = o {
        r = x;
    } else {
        r = 3;
    }
    if r == 1 {
        2
    } else {
        r
    }
}

pub fn constant(a: u8, b: i16) -> (u8, i16, f64, bool, char, u32) {
    let top = a == 255;
    let below = b + 0;
    let bits = 0x1F_u8;
    let large = 1_000_000u64;
    let up = u32::MAX;
    let c = 'q';
    (bits, -5, 1.5, true, c, LIMIT)
}

pub fn swap(a: u32, b: u32, flag: bool, v: &mut Vec<u32>) -> (u32, u32) {
    let early = if flag { a } else { b };
    let late = arguments(a, early, flag);
    v.push(early);
    (a - b, late)
}

fn arguments(a: u32, b: u32, flag: bool) -> u32 {
    let s = Span { from: 1, to: 2, step: 3, seen: Ghost(0), drawn: Ghost(1) };
    a
}

pub fn index(v: &Vec<u32>, i: usize, ghost_is_not_indexed: Ghost<Seq<u32>>) -> u32
    requires
        i < v.len(),
        v[0] == 1,
{
    assert(v[i as int] == v@[i as int]);
    v[i] + v[0] + v[2] + v[i * 2]
}

pub fn delete(a: u32, v: &mut Vec<u32>) -> u32 {
    let mut r = 0;
    let late;
    late = a;
    r = late;
    if r > 1 {
        r = 1;
    }
    match v.len() {
        0 => r = 2,
        _ => proof { },
    }
    assert(r < 3);
    return r;
}

pub fn return_(a: u32, b: u32, flag: bool) -> (r: Result<Vec<u32>, u8>)
    ensures
        r is Ok,
{
    if flag {
        return Err(3);
    }
    let pick = |x: u32| -> u32 { if x > 1 { return x; } 7 };
    Ok(vec![a, pick(b)])
}

pub fn return_option(a: Option<u32>, b: &[u32]) -> Option<u32> {
    match a {
        Some(x) => Some(x),
        None => { if b.len() > 0 { Some(b[0]) } else { a } }
    }
}

pub fn return_side(s: Side) -> Side {
    Side::Both
}

pub fn return_early(v: &mut Vec<u32>)
    ensures
        true,
{
    v.clear();
}

pub fn branches(a: u32) -> u32 {
    if a < 3 {
        1
    } else if a == 3 {
        2
    } else {
        assert(a > 3);
        3
    }
}

pub fn jump(v: &Vec<u32>) -> u32 {
    let mut r = 0;
    for i in 0..v.len() {
        if v[i] == 0 {
            continue;
        }
        if v[i] == 1 {
            break;
        }
        match v[i] {
            2 => break,
            3 => continue,
            _ => r += 1,
        }
    }
    r
}

pub fn turn(v: &Vec<u32>, n: usize) -> usize {
    let mut r = 0;
    for i in it: 1..n
        invariant
            r <= it.cur,
    {
        r += 1;
    }
    for x in v.iter() {
        r += 1
    }
    'outer: while r < n
        invariant
            r <= n,
        decreases n - r,
    {
        r += 1;
        assert(r <= n);
    }
    r
}

pub fn skip(v: &mut Vec<u32>, w: &mut Vec<u32>) {
    v.push(1);
    v.insert(0, 2);
    let last = v.pop();
    v.swap(0, 1);
    core::mem::swap(v, w);
    proof {
        v.push(1);
    }
}

pub fn field(s: &mut Span, t: (u8, u8)) -> usize {
    s.from = s.to + 1;
    let step = t.0;
    s.step as usize
}

pub fn cast(a: u64, b: u8, c: char, d: i32) -> u64 {
    let wide = b as u64;
    let code = c as u32;
    let small = a as u8;
    let sign = d as i64;
    a as u32 as u64 + (a as u128 >> 1) as u64
}

pub fn range_end(v: &[u32], n: usize) -> u32 {
    let mut r = 0;
    for i in 0..n {
        r += 1;
    }
    for i in 0..=3 {
        r += 1;
    }
    let part = &v[1..n];
    r
}

pub fn arm(s: Side, o: Option<u32>) -> u32 {
    match o {
        Some(x) => x,
        None => {
            match s {
                Side::Left => 1,
                Side::Right => { assert(true); 2 }
                Side::Both => 3,
            }
        }
    }
}

pub fn twin(a: u32, b: u32, v: &mut Vec<u32>) -> Option<u32> {
    let top = core::cmp::max(a, b);
    let low = a.min(b).wrapping_add(1);
    v.push(low);
    v.insert(0, top);
    let first = v.first();
    let full = u32::MAX;
    let side = Side::Left;
    let own = Counter { n: 1 }.min(2);
    a.checked_add(full)
}

pub struct Counter {
    pub n: u32,
}

impl Counter {
    pub fn min(self, other: u32) -> u32 {
        self.n
    }
}

pub fn nothing_else(Ghost(g): Ghost<int>, Tracked(t): Tracked<int>) -> (r: u32)
    requires
        1 + 1 == 2,
    ensures
        r < 8,
{
    let ghost h = 1 + 1;
    let tracked u = 2;
    proof {
        let x = 1 + 1;
    }
    assert(1 + 1 == 2) by {
        assert(true);
    }
    assert forall|i: int| i + 1 > i by { }
    reveal(spec_one);
    let k = Ghost(1 + 1);
    const N: usize = 1 + 1;
    fn inner(a: u32) -> u32 {
        a + 1
    }
    let array = [true; 1 + 1];
    proof! { let y = 1 + 1; }
    println!("{}", 1 + 1);
    if let 7 = inner(7) {
    }
    7
}

spec fn spec_one() -> int {
    1
}

} // verus!
