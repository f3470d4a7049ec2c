use vstd::prelude::*;

verus! {

proof fn lemma(x: u64)
    requires x < 100,
    ensures x * x < 10000,
{
    assert(x * x < 10000) by (nonlinear_arith) requires x < 100;
}

pub fn square(x: u64) -> (r: u64)
    requires x < 100,
    ensures r == x * x,
{
    proof { lemma(x); }
    let r = x * x;
    proof {
        /* a { brace in a comment */
        assert(r < 10000);
    }
    if r > 50 {
        proof { assert(r > 49); }
    } else { proof { assert(r <= 50); } }
    match r {
        0 => proof { assert(r == 0); },
        1 => { proof { assert(r == 1); } },
        _ => {}
    }
    r
}

}

pub fn run(out: &mut Vec<String>) {
    for x in [0, 1, 7, 8, 99] { out.push(format!("{}", square(x))); }
}
