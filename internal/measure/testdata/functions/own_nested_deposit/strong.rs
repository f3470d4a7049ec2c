use vstd::prelude::*;

verus! {

pub struct Purse {
    pub coins: u16,
    pub locked: bool,
}

pub struct Owner {
    pub id: u8,
    pub purse: Purse,
    pub visits: u8,
}

impl Owner {
    /// Adds coins to a purse, unless it is locked or full.
    pub fn nested_deposit(&mut self, n: u16) -> (r: bool)
        ensures
            r == (!old(self).purse.locked && old(self).purse.coins + n <= u16::MAX),
            self.id == old(self).id,
            self.purse.locked == old(self).purse.locked,
            self.purse.coins == if r { old(self).purse.coins + n } else { old(self).purse.coins as int },
            self.visits == if old(self).visits < 255 { old(self).visits + 1 } else { 255 },
    {
        if self.visits < 255 {
            self.visits = self.visits + 1;
        }
        if self.purse.locked || self.purse.coins > u16::MAX - n {
            return false;
        }
        self.purse.coins = self.purse.coins + n;
        true
    }
}

} // verus!
