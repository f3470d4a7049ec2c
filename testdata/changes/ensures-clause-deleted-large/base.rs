use vstd::prelude::*;

verus! {

pub open spec fn step(x: nat, y: nat) -> nat {
    if x < y { (x * y + 1) % 7 } else if x == y { (x + y * y) % 11 } else { (x - y) as nat % 13 }
}

pub open spec fn twice(x: nat, y: nat) -> nat {
    step(step(x, y), step(y, x)) + step(step(y, x), step(x, y))
}

pub open spec fn four(x: nat, y: nat) -> nat {
    twice(twice(x, y), twice(y, x)) + twice(twice(y, x), twice(x, y))
}

pub open spec fn good(x: nat, y: nat) -> bool {
    four(four(x, y), four(y, x)) != four(four(y, x), four(x, y)) || x == y
}

pub proof fn lemma_large(a: nat, b: nat, c: nat)
    requires
        good(a, b),
        good(b, c),
        a == four(b, c) % 1000,
        c == four(b, b) % 1000,
    ensures
        good(a, c),
        good(four(a, b), four(b, c)),
        four(a, c) == four(four(a, b), c) % 1000,
{
    admit();
}

} // verus!
