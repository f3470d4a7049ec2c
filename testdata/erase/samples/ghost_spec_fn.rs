use vstd::prelude::*;

verus! {

pub struct Filter { pub limit: u8, pub pred: Ghost<spec_fn(u8) -> bool>, pub two: Ghost<spec_fn(int, int) -> int> }

pub fn make(limit: u8) -> (f: Filter) {
    Filter { limit, pred: Ghost(|x: u8| x < limit), two: Ghost(|a: int, b: int| a + b) }
}

pub fn check(f: &Filter, x: u8, Ghost(extra): Ghost<spec_fn() -> bool>) -> (b: bool) {
    x < f.limit
}

pub fn run_check(x: u8) -> bool {
    let f = make(7);
    check(&f, x, Ghost(|| true))
}

}

pub fn run(out: &mut Vec<String>) {
    for x in [0, 6, 7, 8] { out.push(format!("{}", run_check(x))); }
}
