use vstd::prelude::*;

verus! {

pub enum Turn {
    Left,
    Right,
}

pub fn spin(t: Turn, x: u32, Ghost(hist): Ghost<Seq<u32>>, Tracked(perm): Tracked<&Token>) -> (r: u32)
    requires
        x < 100,
    ensures
        r <= 101,
{
    let y = match t {
        Turn::Left => x,
        Turn::Right => {
            x + 1
        }
    };
    note(y, Ghost(hist.push(x)), Tracked(perm));
    if y > 50 {
        proof {
            lemma_big(y);
        }
    }
    y
}

pub tracked struct Token {
    pub ghost id: int,
}

fn note(x: u32, Ghost(h): Ghost<Seq<u32>>, Tracked(p): Tracked<&Token>)
{
}

pub ghost struct History {
    pub seen: Seq<u32>,
}

pub open spec fn recent(h: History) -> bool {
    h.seen.len() > 0
}

pub proof fn lemma_recent(h: History)
    requires
        recent(h),
    ensures
        h.seen.len() >= 1,
{
}

proof fn lemma_big(y: u32)
{
}

} // verus!
