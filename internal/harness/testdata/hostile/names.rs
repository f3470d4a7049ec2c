// Names that the code of the harness uses too.
#![allow(warnings)]

pub struct Vec {
    pub Out: u8,
}

#[derive(Clone)]
pub enum Option {
    V,
    In(u8),
    r#match { r#fn: u8, i: u8, o: u8, f0: bool },
}
use self::Option::*;

pub trait Tr {
    fn put(&self, o: u8) -> u8;
    fn get(i: u8) -> u8;
    fn arg(self) -> u8
    where
        Self: Sized,
    {
        7
    }
}
impl<T> Tr for T {
    fn put(&self, o: u8) -> u8 {
        o
    }
    fn get(i: u8) -> u8 {
        i
    }
}

macro_rules! panic { () => { compile_error!("not mine") }; }

pub fn a0(v: Vec, i: Option, o: u8) -> Option {
    match i {
        V => In(v.Out),
        In(r) => Option::r#match { r#fn: r, i: o, o: r, f0: true },
        Option::r#match { r#fn, i, o, f0 } => if f0 { In(r#fn) } else { V },
    }
}

pub fn r#loop(tick: u8) -> u8 {
    let u8 = tick;
    u8 + 1
}

pub mod inner {
    pub(super) struct Hidden {
        x: u8,
    }
    impl Hidden {
        fn private(&mut self, by: u8) -> u8 {
            let old = self.x;
            self.x = by;
            old
        }
    }
}
