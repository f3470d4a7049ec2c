use vstd::prelude::*;

verus! {

pub mod inner {
    use super::*;

    pub open spec fn inside(x: int) -> bool { x > 0 }

    pub fn get(x: u8) -> (r: u8) ensures inside(r as int) || r == 0 { x / 3 }

    pub mod deeper {
        use vstd::prelude::*;

        pub proof fn nothing() { }

        pub fn answer() -> u8 { 42 }
    }
}

use inner::deeper;

pub fn both(x: u8) -> u8 {
    proof { deeper::nothing(); }
    inner::get(x) ^ deeper::answer()
}

} // verus!

verus! {
    pub fn second_block(x: u8) -> u8 { both(x) }
}

pub fn run(out: &mut Vec<String>) {
    for x in [0, 3, 255] { out.push(format!("{}", second_block(x))); }
}
