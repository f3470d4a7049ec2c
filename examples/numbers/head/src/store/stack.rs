use vstd::prelude::*;

verus! {

/// A stack that never holds more than `cap` items.
pub struct Stack {
    items: Vec<u32>,
    cap: usize,
}

impl Stack {
    pub closed spec fn view(&self) -> Seq<u32> {
        self.items@
    }

    pub closed spec fn capacity(&self) -> nat {
        self.cap as nat
    }

    pub closed spec fn wf(&self) -> bool {
        self.items.len() <= self.cap
    }

    pub fn new(cap: usize) -> (s: Stack)
        ensures s.wf(), s@.len() == 0, s.capacity() == cap,
    {
        Stack { items: Vec::new(), cap }
    }

    pub fn push(&mut self, x: u32) -> (ok: bool)
        requires
            old(self).wf(),
        ensures
            self.wf(),
            self.capacity() == old(self).capacity(),
            ok == (old(self)@.len() < old(self).capacity()),
            ok ==> self@ == old(self)@.push(x),
            !ok ==> self@ == old(self)@,
    {
        if self.items.len() < self.cap {
            self.items.push(x);
            true
        } else {
            false
        }
    }

    pub fn pop(&mut self) -> (r: Option<u32>)
        requires
            old(self).wf(),
        ensures
            self.wf(),
            self.capacity() == old(self).capacity(),
            r.is_some() == (old(self)@.len() > 0),
            r matches Some(x) ==> x == old(self)@.last() && self@ == old(self)@.drop_last(),
            r.is_none() ==> self@ == old(self)@,
    {
        self.items.pop()
    }
}

} // verus!
