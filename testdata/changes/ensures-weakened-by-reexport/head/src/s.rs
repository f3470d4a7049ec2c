use vstd::prelude::*;
verus! {
pub open spec fn ok(x: u64, r: u64) -> bool { r > x }

}
