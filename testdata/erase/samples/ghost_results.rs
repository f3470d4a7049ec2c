use vstd::prelude::*;

verus! {

pub fn pair(x: u8) -> (r: (u8, Ghost<int>)) {
    (x / 2, Ghost(x as int))
}

pub fn only_ghost(x: u8) -> (r: Ghost<int>)
    ensures r@ == x,
{
    Ghost(x as int)
}

pub fn triple(x: u8) -> ((a, g, b): (u8, Tracked<()>, u8)) {
    let (a, Ghost(h)) = pair(x);
    let Ghost(k) = only_ghost(x);
    let g2 = only_ghost(a);
    let ghost sum = h + k + g2@;
    assert(true);
    (a, Tracked(()), x)
}

}

pub fn run(out: &mut Vec<String>) {
    for x in [0, 9, 200] {
        let r = triple(x);
        out.push(format!("{} {}", r.0, r.2));
    }
}
