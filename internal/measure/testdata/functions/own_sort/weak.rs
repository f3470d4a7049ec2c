use vstd::prelude::*;

verus! {

/// Sorts bytes.
pub fn sort(v: &mut Vec<u8>)
    ensures
        v@.len() == old(v)@.len(),
        forall|i: int, j: int| 0 <= i < j < v@.len() ==> v@[i] <= v@[j],
{
    let n = v.len();
    let mut i: usize = 0;
    while i < n
        invariant
            i <= n,
            n == v@.len(),
            v@.len() == old(v)@.len(),
            v@.to_multiset() == old(v)@.to_multiset(),
            forall|k: int, l: int| 0 <= k < i && k < l < n ==> v@[k] <= v@[l],
        decreases n - i,
    {
        let mut j: usize = i + 1;
        while j < n
            invariant
                i < j <= n,
                n == v@.len(),
                v@.len() == old(v)@.len(),
                v@.to_multiset() == old(v)@.to_multiset(),
                forall|k: int, l: int| 0 <= k < i && k < l < n ==> v@[k] <= v@[l],
                forall|l: int| i < l < j ==> v@[i as int] <= v@[l],
            decreases n - j,
        {
            let a = v[i];
            let b = v[j];
            if b < a {
                let ghost before = v@;
                v.set(i, b);
                v.set(j, a);
                proof {
                    broadcast use vstd::seq_lib::group_to_multiset_ensures, vstd::multiset::group_multiset_axioms;
                    let middle = before.update(i as int, b);
                    assert(middle.remove(i as int) =~= before.remove(i as int));
                    assert(middle[i as int] == b && middle[j as int] == b);
                    assert(v@ =~= middle.update(j as int, a));
                    assert(v@.remove(j as int) =~= middle.remove(j as int));
                    assert(middle.contains(middle[i as int]) && v@.contains(v@[j as int]) && before.contains(before[i as int]) && before.contains(before[j as int]));
                    assert(before.to_multiset().count(a) > 0);
                    assert(before.to_multiset().count(b) > 0);
                    let (m0, m1, m2) = (before.to_multiset(), middle.to_multiset(), v@.to_multiset());
                    assert(middle.remove(i as int).to_multiset() =~= m1.remove(b));
                    assert(before.remove(i as int).to_multiset() =~= m0.remove(a));
                    assert(v@.remove(j as int).to_multiset() =~= m2.remove(a));
                    assert(middle.remove(j as int).to_multiset() =~= m1.remove(b));
                    assert(m2.count(a) > 0);
                    assert(m2 =~= m2.remove(a).insert(a));
                    assert(m0 =~= m0.remove(a).insert(a));
                }
            }
            j += 1;
        }
        i += 1;
    }
}

} // verus!
