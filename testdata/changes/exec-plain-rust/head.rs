pub mod cli {
    pub struct Args {
        pub verbose: bool,
    }

    impl Args {
        pub fn level(&self) -> u8 {
            if self.verbose { 2 } else { 1 }
        }
    }
}
