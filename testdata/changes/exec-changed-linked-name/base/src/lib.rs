use vstd::prelude::*;
verus! {
#[no_mangle] pub fn f() {}
}
