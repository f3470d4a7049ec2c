#!/usr/bin/env -S cargo +nightly -Zscript
// Covers: byte order mark and shebang before the first item. Source: the Rust reference, input format.
fn main() {}
