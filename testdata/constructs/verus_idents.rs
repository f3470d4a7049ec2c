// Covers: every contextual keyword of Verus used as an ordinary identifier, outside and inside verus!, and calls, fields and paths of that name. Source: verus_syn ident.rs (all accepted as identifiers), vericoding (regular expressions for assume hit identifiers).
use vstd::prelude::*;

fn outside() {
    let spec = 1; let proof = 2; let exec = 3; let open = 4; let closed = 5;
    let requires = 8; let ensures = 9; let decreases = 10; let invariant = 11; let assume = 12; let forall = 13;
    let exists = 14; let choose = 15; let is = 16; let has = 17; let matches = 18; let by = 19; let any = 20;
    let none = 21; let when = 22; let via = 23; let with = 24; let implies = 25; let global = 26; let layout = 27;
    let broadcast = 28; let group = 29; let returns = 30; let axiom = 31; let uninterp = 32; let reveal = 33; let hide = 34;
    o.assume(assume); o.requires.ensures.spec(); m::assume::proof(); let s = S { proof: 1, ghost, tracked: 2 };
}

verus! {

fn inside(spec: u8, requires2: u8) -> (r: u8) {
    let assume_ok = 1u8;
    let x = o.assume(assume_ok);
    let y = o.admit;
    let z = Assume { assume: 1u8 };
    let w = my_assume(3);
    let k = crate::policy::assume(3);
    let m = self_.proof.spec.ghost;
    let any = 3u8;
    let none = any;
    let open = none;
    let group = open;
    let layout = group;
    let with = layout;
    let when = with;
    with
}
fn open(closed: u8) -> u8 { closed }
fn group() {}
fn layout() {}
fn assume_role(assumed: bool) -> bool { assumed }
mod proof { }
mod spec {}
struct Assume { assume: u8 }
impl Assume { fn assume(&self) -> u8 { self.assume } fn admit(&self) {} }
use proof::open as closed;
fn none() -> Option<u8> { None }
fn any(x: u8) -> u8 { x }

}
