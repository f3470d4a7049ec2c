use vstd::prelude::*;
use vstd::cell::pcell_maybe_uninit::*;

verus! {

pub fn cells(x: u32) -> (r: u32) {
    let (cell, Tracked(perm)) = PCell::<u32>::new(x);
    let y = cell.take(Tracked(&mut perm));
    cell.put(Tracked(&mut perm), y / 2);
    let z = cell.into_inner(Tracked(perm));
    z
}

}

pub fn run(out: &mut Vec<String>) {
    for x in [0, 7] { out.push(format!("{}", cells(x))); }
}
