use vstd::prelude::*;

verus! {

/// Call this instead of `assume(false)` or `admit()`. See verus! { assume(true); }
pub struct Role {
    pub assumed: bool,
}

impl Role {
    // assume(self.assumed);
    pub fn assume(&mut self)
        ensures
            final(self).assumed,
    {
        self.assumed = true; /* admit(); */
    }
}

pub proof fn assume_nothing(admit: bool, assumed_by: int)
    ensures
        admit || !admit,
{
    let assume_false = "assume(false)";
    let admitted = r#"admit(); "assume(false)"#;
    assert(assumed_by == assumed_by); // assume(assumed_by > 0)
}

pub fn may_enter(r: &Role) -> (b: bool)
    ensures
        b == r.assumed,
{
    proof {
        assume_nothing(true, 3);
    }
    r.assumed
}

} // verus!
