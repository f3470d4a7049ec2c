use vstd::prelude::*;

macro_rules! add_all {
    ($($e:expr),* $(,)?) => { 0u32 $(+ $e)* };
}

verus! {

pub fn with_macros(x: u32) -> (r: u32)
    requires x < 10,
{
    let v: Vec<u32> = vec![x, x + 1, 2];
    let t = add_all!(x, v[0], v.len() as u32,);
    let a = [1u32, 2, 3];
    if t > 1_000 { unreachable!() }
    proof {
        calc! {
            (==)
            x + 0; { }
            x as int;
        }
        assert_by_contradiction!(x < 10, { });
    }
    t + a[1]
}

}

pub fn run(out: &mut Vec<String>) {
    for x in [0, 1, 9] { out.push(format!("{}", with_macros(x))); }
}
