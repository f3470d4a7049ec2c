use vstd::prelude::*;

verus! {

pub struct Token { pub ghost value: int }

pub fn step(x: u64, Ghost(g): Ghost<int>, Tracked(t): Tracked<&Token>) -> (r: u64)
    requires x as int == g, x < 1000, t.value == g,
{
    x + 1
}

pub fn twice(Ghost(mut g): Ghost<int>, x: u64, Tracked(tok): Tracked<&Token>) -> (r: u64)
    requires x < 100, g == x,
{
    let y = step(x, Ghost(g), Tracked(tok));
    proof { g = g + 1; }
    let z = step(y, Ghost::<int>(g), Tracked::<&Token>(tok));
    z
}

pub fn top(x: u64) -> u64
    requires x < 100,
{
    let ghost g: int = x as int;
    let tracked tok = Token { value: g };
    twice(Ghost(g), x, Tracked(&tok))
}

}

pub fn run(out: &mut Vec<String>) {
    for x in [0, 1, 50] { out.push(format!("{}", top(x))); }
}
