use vstd::prelude::*;

verus! {

/// Moves as much as fits from one tank to another: what was moved, and what is left.
pub fn two_muts(from: &mut u8, to: &mut u8, cap: u8) -> (r: (u8, u8))
    requires
        *old(to) <= cap,
    ensures
        *from + *to == *old(from) + *old(to),
        *to <= cap,
{
    let room = cap - *to;
    let moved = if *from < room {
        *from
    } else {
        room
    };
    *from = *from - moved;
    *to = *to + moved;
    (moved, *from)
}

} // verus!
