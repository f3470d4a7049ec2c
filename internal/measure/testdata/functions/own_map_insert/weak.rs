use vstd::prelude::*;

verus! {

/// Values at small keys.
pub struct Slots {
    pub slots: Vec<Option<u8>>,
}

impl Slots {
    pub open spec fn view(&self) -> Map<int, u8> {
        Map::new(|k: int| 0 <= k < self.slots@.len() && self.slots@[k] is Some, |k: int| self.slots@[k]->0)
    }

    /// Puts a value at a key.
    pub fn map_insert(&mut self, k: usize, x: u8)
        requires
            k < old(self).slots@.len(),
        ensures
            self@.dom().contains(k as int),
            self@[k as int] == x,
    {
        self.slots.set(k, Some(x));
        proof {
            assert(self@ =~= old(self)@.insert(k as int, x));
        }
    }
}

} // verus!
