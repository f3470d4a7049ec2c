use vstd::prelude::*;

verus! {

pub ghost struct Abstract { pub ghost x: int, pub y: Seq<u8> }

pub tracked struct Permission(ghost int);

pub tracked enum State { Idle, Busy { ghost since: nat } }

impl Abstract {
    pub open spec fn next(self) -> Abstract { Abstract { x: self.x + 1, y: self.y } }
}

impl Permission {
    proof fn make() -> (tracked p: Permission) { Permission(1) }
}

pub fn use_them(x: u16, Tracked(p): Tracked<Permission>, a: Ghost<Abstract>, s: Tracked<&State>) -> u16 {
    x ^ 1
}

pub fn call(x: u16) -> u16 {
    let tracked p = Permission::make();
    let ghost a = Abstract { x: 0, y: Seq::empty() };
    let tracked s = State::Idle;
    use_them(x, Tracked(p), Ghost(a.next()), Tracked(&s))
}

}

pub fn run(out: &mut Vec<String>) {
    for x in [0, 1, 2] { out.push(format!("{}", call(x))); }
}
