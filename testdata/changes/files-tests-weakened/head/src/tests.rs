use super::*;

#[test]
fn halves() {
    assert!(top(9) <= 9);
    assert_eq!(top(0), 0);
}
