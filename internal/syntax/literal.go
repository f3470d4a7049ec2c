package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDigits bounds the digits of an integer that is read, since reading many takes more than linear time. The greatest u128 has 39, or 128 in binary.
const maxDigits = 2000

// Integer takes an integer literal apart: its digits without separators, their base, and its suffix, which need not name a type of integers (`1f64`). There
// are no digits for other text, and for more than 2000 of them.
func Integer(text string) (digits string, base int, suffix string) {
	text = strings.ReplaceAll(text, "_", "")
	base, all := 10, "0123456789"
	if len(text) > 2 && text[0] == '0' {
		switch text[1] {
		case 'x':
			base, all, text = 16, "0123456789abcdefABCDEF", text[2:]
		case 'o':
			base, all, text = 8, "01234567", text[2:]
		case 'b':
			base, all, text = 2, "01", text[2:]
		}
	}
	suffix = strings.TrimLeft(text, all)
	if digits = text[:len(text)-len(suffix)]; len(digits) > maxDigits {
		digits = ""
	}
	return digits, base, suffix
}

// Unquote is what a character or string literal, plain or raw, stands for. ok is false for other text, and for an escape that Rust does not have. An escape
// such as \xff, which only literals of bytes may have, gives that byte.
func Unquote(text string) (value string, ok bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n") // as Rust reads a file
	if rest, raw := strings.CutPrefix(text, "r"); raw {
		inner := strings.TrimLeft(rest, "#")
		hashes := rest[:len(rest)-len(inner)]
		if inner, ok = strings.CutSuffix(inner, hashes); !ok || len(inner) < 2 || inner[0] != '"' || inner[len(inner)-1] != '"' {
			return "", false
		}
		return inner[1 : len(inner)-1], true
	}
	if len(text) < 2 || text[0] != text[len(text)-1] || text[0] != '"' && text[0] != '\'' {
		return "", false
	}
	return unescape(text[1 : len(text)-1])
}

// unescape reads the escapes of Rust's character and string literals.
func unescape(s string) (string, bool) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			return "", false
		}
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case '0':
			b.WriteByte(0)
		case '\\', '\'', '"':
			b.WriteByte(s[i])
		case 'x':
			if i+2 >= len(s) {
				return "", false
			}
			n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				return "", false
			}
			b.WriteByte(byte(n))
			i += 2
		case 'u':
			end := strings.IndexByte(s[i:], '}')
			if end < 0 || i+1 >= len(s) || s[i+1] != '{' {
				return "", false
			}
			n, err := strconv.ParseUint(strings.ReplaceAll(s[i+2:i+end], "_", ""), 16, 32)
			if err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
				return "", false
			}
			b.WriteRune(rune(n))
			i += end
		case '\n':
			for i+1 < len(s) && strings.IndexByte(" \t\n\r", s[i+1]) >= 0 {
				i++
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}
