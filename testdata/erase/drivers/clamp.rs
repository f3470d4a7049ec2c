pub fn run(out: &mut Vec<String>) {
    for x in [-9, 0, 3, 50] { out.push(format!("{} {}", clamp(x, -1, 10), abs_diff(x.unsigned_abs() as u32, 4))); }
}
