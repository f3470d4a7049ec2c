pub fn run(out: &mut Vec<String>) {
    let mut l = Light::Red;
    for _ in 0..12 {
        l = step(l);
        out.push(match l {
            Light::Red => "red".to_string(),
            Light::Green { left } => format!("green {left}"),
            Light::Yellow(n) => format!("yellow {n}"),
        });
    }
}
