pub fn run(out: &mut Vec<String>) {
    let mut s = Stack::new(2);
    for x in 0..4 { out.push(format!("{}", s.push(x))); }
    for _ in 0..3 { out.push(format!("{:?}", s.pop())); }
}
