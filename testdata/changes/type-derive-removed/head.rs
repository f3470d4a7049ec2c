#[derive(Clone)]
pub struct Token {
    pub id: u64,
}
