pub fn run(out: &mut Vec<String>) {
    for (a, b) in [(12, 18), (7, 1), (100, 75), (5, 5)] { out.push(format!("{}", gcd(a, b))); }
}
