use vstd::prelude::*;

verus! {

// Words that the verifier of mid 2025 does not have, and a macro that is not understood.
pub struct Gauge { pub at: u32 }

impl Gauge {
    pub fn seek(&mut self, to: u32) -> (old_at: u32)
        requires
            self.at < 10,
            old(self).at > 0,
        ensures
            final(self).at <= to,
            old_at == old(self).at,
    {
        let r = self.at;
        self.at = to;
        r
    }
}

pub fn in_macro(x: &mut u32, k: u32) -> (r: u32)
    ensures
        my!(let x = *old(x); |k| k + x) >= r,
{
    1
}

pub fn patterns(_: u8, (c, d): (u8, u8)) -> ((lo, hi): (u8, u8))
    requires
        c < d,
    ensures
        lo <= c,
    returns
        (c, d),
{
    (c, d)
}

} // verus!
