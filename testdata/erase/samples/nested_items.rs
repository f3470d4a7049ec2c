use vstd::prelude::*;

verus! {

pub fn outer(x: u32) -> (r: u32)
    requires x < 100,
{
    spec fn local(y: int) -> int { y }
    proof fn local_lemma() { }
    fn helper(y: u32) -> (r: u32)
        requires y < 1000,
        ensures r == y + 2,
    {
        y + 2
    }
    const STEP: u32 = 5;
    struct Pair { a: u32, b: u32 }
    let p = Pair { a: helper(x), b: STEP };
    let inner = {
        let ghost z = 1int;
        assert(z == 1);
        p.a + p.b
    };
    inner
}

}

pub fn run(out: &mut Vec<String>) {
    for x in [0, 1, 99] { out.push(format!("{}", outer(x))); }
}
