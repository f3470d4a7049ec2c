use vstd::prelude::*;

verus! {

pub fn step(x: u64) -> (r: u64)
    requires
        x < 100,
    ensures
        r == x + 1,
{
    x + 1
}

#[verifier::exec_allows_no_decreases_clause]
pub fn serve() {
    loop {
        let y = step(1);
        assert(y == 2);
    }
}

pub fn give_up(x: u64) -> (r: u64)
    requires
        x > 5,
    ensures
        r > 5,
{
    if x <= 5 {
        vstd::pervasive::unreached()
    } else {
        x
    }
}

proof fn no_case(x: u64, y: u64)
    requires
        x < y,
        y < x,
    ensures
        x == 7,
{
}

proof fn absurd(x: u64, y: u64)
    requires
        x < y,
        y < x,
    ensures
        false,
{
}

} // verus!
