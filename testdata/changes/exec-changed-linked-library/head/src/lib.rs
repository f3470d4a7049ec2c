#[link(name="b")] extern "C" { fn a(); }
use vstd::prelude::*;
verus! {

}
