use vstd::prelude::*;

verus! {

pub fn swap_max(v: &mut Vec<u32>, i: usize, j: usize)
    requires
        i < old(v).len(),
        j < old(v).len(),
    ensures
        v.len() == old(v).len(),
    opens_invariants none
    no_unwind when true
{
    let ghost old_v = v@;
    let a = v[i];
    let b = v[j];
    if a < b {
        v.set(i, b);
        v.set(j, a);
    }
    assert(v@.len() == old_v.len());
}

pub fn bump(x: &mut u8) -> (was: u8)
    ensures was == *old(x),
{
    let w = *x;
    *x = x.wrapping_add(1);
    w
}

}

pub fn run(out: &mut Vec<String>) {
    let mut v = vec![1, 5, 3];
    swap_max(&mut v, 0, 1);
    swap_max(&mut v, 0, 2);
    let mut b = 255;
    out.push(format!("{:?} {} {}", v, bump(&mut b), b));
}
