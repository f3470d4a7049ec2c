pub trait Greet {
    fn name(&self) -> u32;

    fn loudness(&self) -> u32 {
        1
    }
}

pub struct Dog;

impl Greet for Dog {
    fn name(&self) -> u32 {
        3
    }
}
