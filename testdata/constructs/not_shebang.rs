#![allow(unused)]
// Covers: an inner attribute on line 1, which is not a shebang. Source: the Rust reference, input format.
fn main() {}
