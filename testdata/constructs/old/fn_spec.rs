// Covers: dialect of 2023 to mid 2025: FnSpec for spec_fn. Still accepted by the grammar of today; the names mean nothing to its verifier.
use vstd::prelude::*;

verus! {

spec fn apply(f: FnSpec(int) -> bool, x: int) -> bool { f(x) }
spec fn nested(f: FnSpec(FnSpec(nat) -> nat) -> nat) -> nat { f(|x: nat| x) }
spec fn none() -> FnSpec() -> bool { || true }

}
