use vstd::prelude::*;

macro_rules! thread_safe {
    ($t:ident) => {
        unsafe impl Send for $t {}
        unsafe impl Sync for $t {}
    };
}

pub struct Wire {
    raw: *const u8,
}

pub struct Rope {
    raw: *const u8,
}

thread_safe!(Rope);
