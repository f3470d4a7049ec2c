#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    pub id: u64,
}
