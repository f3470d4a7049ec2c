use vstd::prelude::*;

verus! {

pub struct Counter { n: u32 }

impl View for Counter {
    type V = nat;

    closed spec fn view(&self) -> nat { self.n as nat }
}

impl DeepView for Counter {
    type V = nat;

    closed spec fn deep_view(&self) -> nat { self.n as nat }
}

impl Counter {
    pub fn new() -> (c: Self) ensures c@ == 0 { Counter { n: 0 } }

    pub fn bump(&mut self) -> (old_value: u32)
        requires old(self)@ < 100,
        ensures self@ == old(self)@ + 1, old_value == old(self)@,
    {
        let ghost before = self@;
        let v = self.n;
        self.n += 1;
        assert(self@ == before + 1);
        v
    }
}

}

pub fn run(out: &mut Vec<String>) {
    let mut c = Counter::new();
    for _ in 0..3 { out.push(format!("{}", c.bump())); }
}
