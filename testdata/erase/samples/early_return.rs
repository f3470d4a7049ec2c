use vstd::prelude::*;

verus! {

pub fn find(v: &[i32], x: i32) -> (r: Result<usize, bool>)
    ensures
        r matches Ok(i) ==> i < v.len(),
        ({
            let n = v.len();
            &&& n >= 0
            &&& true
        }),
    no_unwind
{
    let mut i: usize = 0;
    while i < v.len()
        invariant i <= v.len(),
        decreases v.len() - i,
    {
        if v[i] == x {
            assert(v[i as int] == x);
            return Ok(i);
        }
        i += 1;
    }
    if v.len() == 0 { return Err(true); }
    Err(false)
}

pub fn chained(v: &[i32]) -> Result<usize, bool> {
    let a = find(v, 1)?;
    let b = find(v, 2)?;
    proof { assert(true); }
    Ok(a + b)
}

}

pub fn run(out: &mut Vec<String>) {
    for v in [vec![], vec![1], vec![2, 1], vec![3]] { out.push(format!("{:?} {:?}", find(&v, 1), chained(&v))); }
}
