use vstd::prelude::*;

verus! {

pub struct Money {
    pub cents: u64,
}

impl vstd::std_specs::ops::AddSpecImpl<Money> for Money {
    open spec fn obeys_add_spec() -> bool {
        false
    }

    open spec fn add_req(self, rhs: Money) -> bool {
        self.cents + rhs.cents <= u64::MAX
    }

    open spec fn add_spec(self, rhs: Money) -> Money {
        Money { cents: (self.cents + rhs.cents) as u64 }
    }
}

impl core::ops::Add for Money {
    type Output = Money;

    fn add(self, rhs: Money) -> (r: Money) {
        Money { cents: self.cents + rhs.cents }
    }
}

} // verus!
