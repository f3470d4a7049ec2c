package syntax

import (
	"strings"
	"testing"
)

func TestInteger(t *testing.T) {
	many := strings.Repeat("9", maxDigits)
	for _, c := range []struct {
		text, digits string
		base         int
		suffix       string
	}{
		{"0", "0", 10, ""},
		{"010", "010", 10, ""},
		{"1_000u8", "1000", 10, "u8"},
		{"1_u8", "1", 10, "u8"},
		{"0xFF_ffu16", "FFff", 16, "u16"},
		{"0x1f32", "1f32", 16, ""},
		{"0o17usize", "17", 8, "usize"},
		{"0b_101i8", "101", 2, "i8"},
		{"0b12", "1", 2, "2"},
		{"0o8", "", 8, "8"},
		{"0x", "0", 10, "x"},
		{"7int", "7", 10, "int"},
		{"1f64", "1", 10, "f64"},
		{"01e5", "01", 10, "e5"},
		{"x", "", 10, "x"},
		{"", "", 10, ""},
		{many + "u8", many, 10, "u8"},
		{many + "9u8", "", 10, "u8"},
	} {
		if digits, base, suffix := Integer(c.text); digits != c.digits || base != c.base || suffix != c.suffix {
			t.Errorf("%.40q: digits %.40q of base %d, suffix %q; want %.40q, %d, %q", c.text, digits, base, suffix, c.digits, c.base, c.suffix)
		}
	}
}

func TestUnquote(t *testing.T) {
	for _, c := range []struct {
		text, value string
		ok          bool
	}{
		{`""`, "", true},
		{`"a\n\t\r\0\\\'\"b"`, "a\n\t\r\x00\\'\"b", true},
		{`"\x41\u{e9}\u{1_F600}"`, "Aé\U0001F600", true},
		{"\"a\\\n   b\"", "ab", true},
		{"\"a\r\nb\\\r\n  c\"", "a\nbc", true},
		{`'a'`, "a", true},
		{`'\''`, "'", true},
		{`'\xff'`, "\xff", true},
		{`r"a\n"`, `a\n`, true},
		{`r#"a"b"#`, `a"b`, true},
		{`r##"a"#"##`, `a"#`, true},
		{"r\"a\r\nb\"", "a\nb", true},
		{`"\q"`, "", false},
		{`"\x4"`, "", false},
		{`"\u{110000}"`, "", false},
		{`"\u{41"`, "", false},
		{`"a`, "", false},
		{`"`, "", false},
		{`r#"a"`, "", false},
		{`r`, "", false},
		{`a`, "", false},
		{``, "", false},
	} {
		if value, ok := Unquote(c.text); value != c.value || ok != c.ok {
			t.Errorf("%q: %q, %t; want %q, %t", c.text, value, ok, c.value, c.ok)
		}
	}
}
