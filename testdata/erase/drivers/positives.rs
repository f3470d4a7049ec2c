pub fn run(out: &mut Vec<String>) {
    for v in [vec![], vec![-1, 0, 1, 2], vec![5, -5, 6]] { out.push(format!("{:?}", positives(&v))); }
}
