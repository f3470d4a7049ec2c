pub use crate::arith::half;
