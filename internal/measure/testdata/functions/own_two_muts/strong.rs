use vstd::prelude::*;

verus! {

/// Moves as much as fits from one tank to another: what was moved, and what is left.
pub fn two_muts(from: &mut u8, to: &mut u8, cap: u8) -> (r: (u8, u8))
    requires
        *old(to) <= cap,
    ensures
        r.0 == if *old(from) < cap - *old(to) { *old(from) as int } else { cap - *old(to) },
        *from == *old(from) - r.0,
        *to == *old(to) + r.0,
        r.1 == *from,
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
