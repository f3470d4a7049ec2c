use vstd::prelude::*;

pub struct Noisy<'a>(pub &'a core::cell::RefCell<Vec<u8>>, pub u8);

impl<'a> Drop for Noisy<'a> {
    fn drop(&mut self) { self.0.borrow_mut().push(self.1); }
}

impl<'a> Noisy<'a> {
    pub fn value(&self) -> u8 { self.1 }
}

verus! {

#[verifier::external_body]
pub fn order(log: &core::cell::RefCell<Vec<u8>>) {
    let a = Noisy(log, 1);
    match Noisy(log, 2).value() {
        2 => { log.borrow_mut().push(10); }
        _ => {}
    }
    proof { assert(true); }
    let b = Noisy(log, 3);
    match Noisy(log, 4).value() {
        4 => { log.borrow_mut().push(11); }
        _ => {}
    }
    proof { assert(true); }
}

}

pub fn run(out: &mut Vec<String>) {
    let log = core::cell::RefCell::new(Vec::new());
    order(&log);
    out.push(format!("{:?}", log.borrow()));
}
