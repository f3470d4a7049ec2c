use vstd::prelude::*;

verus! {

pub fn all(n: u32) -> (r: Vec<u32>)
    requires n < 1000,
{
    let mut r = Vec::new();
    for i in iter: 0..n
        invariant
            r.len() == i,
            iter.end == n,
    {
        r.push(i * 2);
    }
    for j in 0..2
        invariant true,
    { r.push(j); }
    let mut k = n;
    loop
        invariant_except_break k <= n,
        ensures k <= n,
        decreases k,
    {
        if k == 0 || r.len() > 20 {
            break;
        }
        k -= 1;
        r.push(k);
    }
    'outer: while k < 5
        invariant_except_break k <= 5,
        ensures true,
        decreases 5 - k,
    {
        k += 1;
        while true
            invariant k <= 5,
            decreases 0int,
        {
            if k % 2 == 0 { continue 'outer; }
            break 'outer;
        }
    }
    r.push(k);
    r
}

}

pub fn run(out: &mut Vec<String>) {
    for n in [0, 1, 3, 9] { out.push(format!("{:?}", all(n))); }
}
