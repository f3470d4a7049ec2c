use vstd::prelude::*;

verus! {

pub struct Arch {
    pub layers: nat,
}

impl Arch {
    pub open spec fn inv(&self) -> bool {
        self.layers <= 4
    }
}

pub spec const ARCH: Arch = Arch { layers: 4 };

pub struct Clock {
    pub now: nat,
}

impl Clock {
    pub open spec fn inv(self, bound: nat) -> bool {
        self.now < bound
    }

    pub open spec fn ready(self) -> bool {
        self.now > 3
    }
}

pub struct Table {
    pub entries: Ghost<Shelf>,
    pub rows: Ghost<Seq<Shelf>>,
}

pub struct Shelf {
    pub size: nat,
}

impl Shelf {
    pub open spec fn ready(self) -> bool {
        self.size > 0
    }
}

pub proof fn lemma_constant()
    ensures
        ARCH.inv(),
{
}

pub proof fn lemma_arguments(all: Seq<Arch>)
    requires
        all.len() > 0,
        forall|i: int| 0 <= i < all.len() ==> (#[trigger] all.index(i)).inv(),
    ensures
        all.first().inv(),
{
}

pub fn first(t: &Table, scratch: Ghost<Shelf>) -> (r: u64)
    requires
        t.entries@.ready(),
        scratch@.ready(),
    ensures
        r == 0,
{
    0
}

pub fn row(t: &Table) -> (r: u64)
    requires
        t.rows@.len() > 0,
        t.rows@[0].ready(),
    ensures
        r == 0,
{
    0
}

pub fn tick(c: Ghost<Clock>, bound: Ghost<nat>) -> (r: u64)
    requires
        c@.inv(bound@),
    ensures
        r == 0,
{
    0
}

pub fn wait(c: Ghost<Clock>) -> (r: u64)
    requires
        c@.ready(),
    ensures
        r == 0,
{
    0
}

} // verus!
