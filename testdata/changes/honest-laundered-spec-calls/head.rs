use vstd::prelude::*;

verus! {

pub tracked struct Ledger {
    pub ghost seen: Set<int>,
}

impl Ledger {
    #[verifier::external_body]
    pub proof fn insert(tracked &mut self, x: int)
        ensures
            self.seen == old(self).seen.insert(x),
    {
        unimplemented!()
    }
}

pub struct Bag {
    pub ghost all: Set<int>,
}

impl Bag {
    pub open spec fn insert(self, x: int) -> Bag {
        Bag { all: self.all.insert(x) }
    }
}

pub open spec fn pick(b: Seq<Bag>) -> Bag {
    b.last()
}

pub proof fn lemma_insert(b: Seq<Bag>, s: Seq<Set<int>>, x: int)
    requires
        b.len() > 0,
        s.len() > 0,
    ensures
        b.last().insert(x).all.contains(x),
        s.last().insert(x).contains(x),
{
    let other = s.last().insert(x);
    assert(s.last().insert(x).contains(x));
    assert forall|y: int| y == x implies s.last().insert(y).contains(x) by {
        assert(s.last().insert(y) =~= other);
    }
}

pub fn first(x: u64) -> (r: u64)
    ensures
        r == x,
{
    let ghost bags = Seq::<Bag>::empty().push(Bag { all: Set::empty() });
    assert(bags.last().insert(x as int).all.contains(x as int));
    x
}

} // verus!

pub fn collect(x: u64) -> std::collections::HashSet<u64> {
    let mut all = std::collections::HashSet::new();
    all.insert(x);
    all
}
