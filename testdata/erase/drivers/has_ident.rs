pub fn run(out: &mut Vec<String>) {
    for k in 0..4 {
        out.push(format!("{}", has_ident(&vec![User { uid: 1, admin: false }, User { uid: 3, admin: true }], k)));
    }
}
