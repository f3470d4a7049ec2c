use vstd::prelude::*;
pub mod a;