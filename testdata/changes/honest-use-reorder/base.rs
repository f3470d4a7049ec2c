use std::collections::HashMap;
use std::fmt::{Debug, Display};
use vstd::prelude::*;

pub fn show<T: Debug>(m: &HashMap<u8, T>) -> usize {
    m.len()
}
