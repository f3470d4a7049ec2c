use vstd::prelude::*;

verus! {

pub struct Key {
    pub id: u32,
    pub era: u32,
}

impl vstd::std_specs::cmp::PartialEqSpecImpl for Key {
    open spec fn obeys_eq_spec() -> bool {
        true
    }

    open spec fn eq_spec(&self, other: &Key) -> bool {
        self.id == other.id && self.era == other.era
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> (b: bool) {
        self.id == other.id && self.era == other.era
    }
}

} // verus!
