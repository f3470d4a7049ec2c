use vstd::prelude::*;

verus! {

pub fn apply<F: Fn(u32) -> u32>(f: F, x: u32) -> (r: u32)
    requires f.requires((x,)),
    ensures f.ensures((x,), r),
{
    f(x)
}

pub fn closures(x: u32) -> (r: u32)
    requires x < 100,
{
    let double = |y: u32| -> (z: u32)
        requires y < 200,
        ensures z == y * 2,
    {
        assert(y < 200);
        y * 2
    };
    let plain = |y: u32| y + 1;
    let captured = move |a: u32| -> (z: u32) requires a < 10 { proof { assert(a < 10); } a + x };
    apply(double, x) + plain(x) + captured(3)
}

}

pub fn run(out: &mut Vec<String>) {
    for x in [0, 1, 50] { out.push(format!("{}", closures(x))); }
}
