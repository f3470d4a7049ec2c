pub fn run(out: &mut Vec<String>) {
    for v in [vec![3], vec![-4, -2, -9], vec![1, 2, 3]] { out.push(format!("{}", max_of(&v))); }
}
