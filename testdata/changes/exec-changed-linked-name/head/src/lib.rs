use vstd::prelude::*;
verus! {
#[export_name="g"] pub fn f() {}
}
