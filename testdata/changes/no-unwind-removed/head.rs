use vstd::prelude::*;

verus! {

pub open spec fn fact(n: nat) -> nat
    decreases n,
{
    if n == 0 { 1 } else { n * fact((n - 1) as nat) }
}

pub fn run(n: u64) -> (r: u64)
    requires
        n < 10,
    ensures
        r <= n,
    decreases n,
    opens_invariants none
{
    if n == 0 { 0 } else { run(n - 1) }
}

pub proof fn touch(tracked c: &Cell0)
    requires
        true,
    opens_invariants [ 1int ]
{
}

pub tracked struct Cell0 {
    pub ghost v: int,
}

} // verus!
