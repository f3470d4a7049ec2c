use vstd::prelude::*;

verus! {

pub fn unit(x: &mut u32) {
    *x = 3;
    assert(*x == 3);
}

pub fn only_ghost() { proof { } assert(true); let ghost x = 1; }

pub fn tail_block(x: u32) -> u32 {
    { let ghost y = x; { x / 2 } }
}

pub fn tail_if(x: u32) -> u32 {
    if x > 3 { assert(x > 3); x } else { proof { assert(x <= 3) } 0 }
}

pub fn unsafe_block(x: u32) -> u32 {
    unsafe { proof { } core::mem::transmute::<u32, u32>(x) }
}

pub fn labelled(x: u32) -> u32 {
    let r = 'done: {
        if x == 0 { break 'done 9; }
        assert(x > 0);
        x
    };
    let Some(y) = Some(r) else { proof { } return 0; };
    let (a, b): (u32, u32) = (y, 1);
    a ^ b
}

pub fn if_let(o: Option<u32>) -> u32 {
    if let Some(x) = o { assert(o is Some); x } else { 1 }
}

#[verifier::external_body]
fn no_body();

pub fn empty_body(b: bool) -> u32 { if b { no_body(); 3 } else { 2 } }

}

pub fn run(out: &mut Vec<String>) {
    let mut x = 0;
    unit(&mut x);
    only_ghost();
    for x in [0, 3, 4, 9] {
        out.push(format!("{} {} {} {}", tail_block(x), tail_if(x), unsafe_block(x), labelled(x)));
    }
    out.push(format!("{x} {} {} {}", if_let(None), if_let(Some(8)), empty_body(true)));
}
