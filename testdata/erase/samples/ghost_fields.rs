use vstd::prelude::*;

verus! {

pub struct Log {
    /// What is stored.
    pub data: Vec<u8>,
    /// What was stored before.
    pub ghost_history: Ghost<Seq<u8>>,
    pub perm: Tracked<()>,
}

impl Log {
    pub closed spec fn wf(self) -> bool { self.ghost_history@.len() >= self.data.len() }

    pub fn new() -> (l: Log)
        ensures l.wf(),
    {
        Log { data: Vec::new(), ghost_history: Ghost(Seq::empty()), perm: Tracked(()) }
    }

    pub fn add(&mut self, x: u8)
        requires old(self).wf(),
    {
        self.data.push(x);
        self.ghost_history = Ghost(self.ghost_history@.push(x));
        proof { assert(true); }
    }

    pub fn split(self) -> (r: usize) {
        let Log { data, ghost_history: Ghost(h), perm: Tracked(p) } = self;
        data.len()
    }
}

}

pub fn run(out: &mut Vec<String>) {
    let mut l = Log::new();
    l.add(3);
    l.add(4);
    out.push(format!("{:?}", l.data));
    out.push(format!("{}", l.split()));
}
