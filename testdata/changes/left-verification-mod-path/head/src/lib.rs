use vstd::prelude::*;
#[path="b.rs"] pub mod a;