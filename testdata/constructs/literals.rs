// Covers: numeric literals with every base and suffix, escapes, raw, byte and c strings, char against lifetime, raw identifiers. Source: the Rust reference, tokens; verusfmt#87, #72 ('(' char, string containing verus!{); verusfmt CHANGELOG (123_456_u64, \x0C, \u{..}, r#raw).
fn literals() {
    let _ = (0, 1_000, 123_456_u64, 0xff, 0xFF_u8, 0o17, 0b1010_0101u8, 1usize, 0xE+1, 0b1, 340282366920938463463374607431768211455u128);
    let _ = (1.0, 1., 1e10, 1E-5, 1.5e+3, 2f32, 3.0_f64, 1_0.0_1e1_0, 0.1);
    let _ = ('a', '\'', '\\', '\n', '\0', '\x0C', '\u{1F600}', '\u{00_41}', '(', ')', '{', '"', ' ', 'é', '\u{7fff}');
    let _ = (b'a', b'\'', b'\xff', b'\\', b'(');
    let _ = ("", "a", "\"", "\\", "\x41\u{42}", "é 漢 😀", "line
second", "continued \
        here", "verus!{ fn f() { assume(false); } }", "// not a comment", "/* neither */");
    let _ = (r"raw \ ", r#"raw " quote"#, r##"two "# inside"##, r#""#);
    let _ = (b"bytes\n\xff", br"raw \", br#"raw " bytes"#);
    let _ = (c"c", c"\xff", cr"raw", cr#"raw " c"#);
    let _: &'static str = "lifetime";
    let r#match = 1;
    let r#fn = r#match + r#struct::r#use;
    let _ = 1..2;
    let _ = 1.max(2);
    let _ = t.0.0;
    let _ = t.0.1.2;
    let _ = -1i8;
}
