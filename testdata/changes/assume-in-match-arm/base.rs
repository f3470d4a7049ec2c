use vstd::prelude::*;

verus! {

pub enum Dir { North, East, South, West }

pub proof fn turns(d: Dir, n: int)
    requires
        n == 4,
    ensures
        n % 4 == 0,
{
    match d {
        Dir::North => {}
        Dir::East => assert(n % 4 == 0),
        Dir::South => {}
        Dir::West => {}
    }
}

} // verus!
