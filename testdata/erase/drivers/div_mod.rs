pub fn run(out: &mut Vec<String>) {
    for (a, b) in [(0, 1), (9, 2), (7, 7)] { out.push(format!("{:?}", div_mod(a, b))); }
}
