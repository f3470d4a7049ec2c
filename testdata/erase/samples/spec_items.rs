use vstd::prelude::*;

verus! {

/// Documentation of a spec function.
pub open spec fn twice(x: int) -> int { x + x }

pub closed spec fn hidden(x: int) -> int { x }

pub uninterp spec fn unknown(x: int) -> int;

spec(checked) fn checked(x: int) -> int recommends x > 0 { x }

/** Another documentation. */
pub broadcast proof fn twice_even(x: int)
    ensures #[trigger] twice(x) % 2 == 0,
{ }

pub axiom fn unknown_positive(x: int) ensures unknown(x) > 0;

pub broadcast group group_twice {
    twice_even,
}

broadcast use group_twice;

spec const LIMIT: int = 10;

/// Documentation of an executable function.
pub exec fn double(x: u32) -> (r: u64)
    ensures r == twice(x as int),
{
    broadcast use group_twice;
    x as u64 * 2
}

}

pub fn run(out: &mut Vec<String>) {
    for x in [0, 3, u32::MAX] { out.push(format!("{}", double(x))); }
}
