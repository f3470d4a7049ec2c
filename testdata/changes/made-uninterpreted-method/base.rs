use vstd::prelude::*;

verus! {

pub struct Disk {
    pub len: nat,
}

impl Disk {
    pub open spec fn safe(&self) -> bool {
        self.len > 0
    }
}

pub fn check(d: &Disk) -> (b: bool)
    ensures
        b ==> d.safe(),
{
    false
}

} // verus!
