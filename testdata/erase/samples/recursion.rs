use vstd::prelude::*;

verus! {

pub open spec fn ack_spec(m: nat, n: nat) -> nat
    decreases m, n,
    when true
    via ack_terminates
{
    if m == 0 { n + 1 } else { 1 }
}

#[via_fn]
proof fn ack_terminates(m: nat, n: nat) { }

pub fn ack(m: u32, n: u32) -> u32
    requires m < 3, n < 10,
    decreases m, n,
{
    if m == 0 { n + 1 }
    else if n == 0 { ack(m - 1, 1) }
    else { ack(m - 1, ack(m, n - 1)) }
}

}

pub fn run(out: &mut Vec<String>) {
    for (m, n) in [(0, 0), (1, 4), (2, 3)] { out.push(format!("{}", ack(m, n))); }
}
