// Covers: const traits as spelled until mid 2025 (`impl const`, `~const`). Rejected by the grammar of today, which has `const impl` and `[const]`; a reader of old code meets them.
use vstd::prelude::*;

verus! {

fn bound<T: ~const Clone>(x: T) -> T where T: ~const Drop { x }

}

impl const Clone for S { fn clone(&self) -> Self { S } }
