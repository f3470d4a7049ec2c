use vstd::prelude::*;

verus! {

spec fn small(i: int) -> bool { i < 1000 }

pub fn sum(v: &Vec<u32>) -> (s: u64)
    requires v.len() < 100,
{
    let mut s: u64 = 0;
    let mut i = 0;
    while i < v.len()
        invariant i <= v.len(), s <= i * 0xffff_ffff,
        decreases v.len() - i,
    {
        assert(i < v.len());
        assert(s <= s + v[i as int]) by { assert(v[i as int] >= 0) };
        assert(i & 0 == 0) by (bit_vector);
        assert(i * 1 == i) by (nonlinear_arith)
            requires i < 100
        {
            assert(true);
        }
        /// documents the assertion
        assert(true);
        assert forall|k: int| 0 <= k < i implies small(k) by {
            assert(k < 1000);
        }
        assume(s < 0xffff_ffff_0000);
        reveal(small);
        hide(small);
        reveal_with_fuel(small, 2);
        s = s + v[i] as u64;
        i = i + 1;
    }
    s
}

}

pub fn run(out: &mut Vec<String>) {
    for v in [vec![], vec![1], vec![1, 2, 3], vec![u32::MAX, 5]] { out.push(format!("{}", sum(&v))); }
}
