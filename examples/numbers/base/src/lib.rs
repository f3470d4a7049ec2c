//! A small crate with a pull request: see ../README.md.
pub mod count;
pub mod largest;
pub mod midpoint;
pub mod stack;
