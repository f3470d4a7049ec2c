pub fn run(out: &mut Vec<String>) {
    for n in 0..12 { out.push(format!("{}", fib_iter(n))); }
}
