pub fn f(){}
std::arch::global_asm!("nop");
use vstd::prelude::*;
verus! {

}
