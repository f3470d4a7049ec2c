#[link(name="a")] extern "C" { fn a(); }
use vstd::prelude::*;
verus! {

}
