pub use vstd::prelude::*;
#[macro_export] macro_rules! verus { ($($t:tt)*) => { vstd::prelude::verus_erase_ghost!{$($t)*} } }