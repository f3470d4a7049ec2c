use super::*;

#[test]
fn halves() {
    assert_eq!(top(9), 4);
    assert_eq!(top(0), 0);
}
