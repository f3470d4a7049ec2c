use vstd::prelude::*;

verus! {

global size_of usize == 8;

#[cfg(target_pointer_width = "64")]
global layout u32 is size == 4, align == 4;

pub fn width() -> (r: usize)
    ensures r == 8,
{
    core::mem::size_of::<usize>()
}

}

pub fn run(out: &mut Vec<String>) {
    out.push(format!("{}", width()));
}
