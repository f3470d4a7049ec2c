use std::{
    collections::HashMap,
    fmt::{Debug, Display as _},
};

use vstd::prelude::*;

pub fn show<T: Debug>(m: &HashMap<u8, T>) -> usize {
    m.len()
}
