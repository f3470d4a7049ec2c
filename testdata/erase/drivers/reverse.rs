pub fn run(out: &mut Vec<String>) {
    for mut v in [vec![], vec![1], vec![1, 2, 3], vec![4, 3, 2, 1]] {
        reverse(&mut v);
        out.push(format!("{:?}", v));
    }
}
