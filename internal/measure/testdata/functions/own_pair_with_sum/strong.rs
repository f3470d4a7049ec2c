use vstd::prelude::*;

verus! {

/// Whether two places hold values with a sum.
pub fn pair_with_sum(v: &[u8], t: u16) -> (r: bool)
    ensures
        r == exists|i: int, j: int| 0 <= i < j < v@.len() && #[trigger] v@[i] + #[trigger] v@[j] == t,
{
    let n = v.len();
    let mut i: usize = 0;
    while i < n
        invariant
            i <= n,
            n == v@.len(),
            forall|k: int, l: int| 0 <= k < i && k < l < n ==> #[trigger] v@[k] + #[trigger] v@[l] != t,
        decreases n - i,
    {
        let mut j: usize = i + 1;
        while j < n
            invariant
                i < j <= n,
                n == v@.len(),
                forall|k: int, l: int| 0 <= k < i && k < l < n ==> #[trigger] v@[k] + #[trigger] v@[l] != t,
                forall|l: int| i < l < j ==> v@[i as int] + #[trigger] v@[l] != t,
            decreases n - j,
        {
            if v[i] as u16 + v[j] as u16 == t {
                return true;
            }
            j += 1;
        }
        i += 1;
    }
    false
}

} // verus!
