use vstd::prelude::*;

verus! {

pub fn read_shared(cell: &PCell<u32>, Tracked(inv): Tracked<&LocalInvariant<u8, PointsTo<u32>, Known>>) -> (r: u32)
    ensures
        r < 100,
{
    let mut r = 0;
    open_local_invariant!(inv => perm => {
        proof {
            assert(perm.id() == cell.id());
        }
        r = *cell.borrow(Tracked(&perm));
    });
    r
}

} // verus!
