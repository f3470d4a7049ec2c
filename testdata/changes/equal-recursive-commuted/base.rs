use vstd::prelude::*;

verus! {

pub open spec fn total(s: Seq<int>) -> int
    decreases s.len(),
{
    if s.len() == 0 {
        0
    } else {
        total(s.drop_last()) + s.last()
    }
}

pub open spec fn sorted(s: Seq<int>) -> bool
    decreases s.len(),
{
    s.len() <= 1 || sorted(s.drop_last()) && s[s.len() - 2] <= s.last()
}

pub fn sum(v: &Vec<u8>) -> (r: u64)
    ensures
        r == total(v@.map_values(|x: u8| x as int)),
{
    let mut r: u64 = 0;
    for x in v {
        r += *x as u64;
    }
    r
}

pub proof fn first(s: Seq<int>)
    requires
        sorted(s),
        s.len() == 2,
    ensures
        s[0] <= s[1],
{
}

} // verus!
