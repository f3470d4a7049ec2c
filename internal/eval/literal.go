package eval

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// maxDigits bounds the length of integer literals.
const maxDigits = 2000

// intLiteral reads an integer literal with or without a suffix.
func intLiteral(text string) (value.Int, bool) {
	text = strings.ReplaceAll(text, "_", "")
	base := 10
	if len(text) > 2 && text[0] == '0' {
		switch text[1] {
		case 'x':
			base, text = 16, text[2:]
		case 'o':
			base, text = 8, text[2:]
		case 'b':
			base, text = 2, text[2:]
		}
	}
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || base == 16 && strings.IndexByte("abcdefABCDEF", text[end]) >= 0) {
		end++
	}
	typ := value.Any
	if suffix := text[end:]; suffix != "" {
		if typ = value.IntTypeOf(suffix); typ == 0 {
			return value.Int{}, false
		}
	}
	if end > maxDigits {
		return value.Int{}, false
	}
	if n, err := strconv.ParseInt(text[:end], base, 64); err == nil {
		return value.Small(n, typ), true
	}
	n, ok := new(big.Int).SetString(text[:end], base)
	if !ok {
		return value.Int{}, false
	}
	return value.Big(n, typ), true
}

func (m *machine) literal(n syntax.Node) value.Value {
	tok := n.FirstToken()
	text := tok.Text()
	switch tok.Kind() {
	case syntax.KwTrue:
		return value.Bool(true)
	case syntax.KwFalse:
		return value.Bool(false)
	case syntax.Int, syntax.Float:
		if num, real := strings.CutSuffix(text, "real"); real {
			if r, ok := new(big.Rat).SetString(strings.ReplaceAll(num, "_", "")); ok && len(num) < maxDigits && !strings.ContainsAny(num, "eExX/") {
				return value.Real{R: r}
			}
			break
		}
		if tok.Kind() == syntax.Int {
			if i, ok := intLiteral(text); ok {
				if !m.inRange(i, i.Type) {
					break
				}
				return i
			}
		}
	case syntax.Char:
		if s, ok := unescape(strings.TrimSuffix(strings.TrimPrefix(text, "'"), "'")); ok {
			if r, size := utf8.DecodeRuneInString(s); size == len(s) && size > 0 && r != utf8.RuneError {
				return value.Char(r)
			}
		}
	case syntax.Byte:
		if s, ok := unescape(strings.TrimSuffix(strings.TrimPrefix(text, "b'"), "'")); ok && len(s) == 1 {
			return value.Small(int64(s[0]), value.U8)
		}
	case syntax.String:
		body := text
		if strings.HasPrefix(body, "r") {
			body = strings.TrimLeft(body[1:], "#")
			body = strings.TrimRight(body, "#")
			if len(body) >= 2 && utf8.ValidString(body) {
				return value.Text(body[1 : len(body)-1])
			}
			break
		}
		if len(body) >= 2 {
			if s, ok := unescape(body[1 : len(body)-1]); ok && utf8.ValidString(s) {
				return value.Text(s)
			}
		}
	}
	return m.unspecified("literal " + short(text))
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

// short cuts a text for a message.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 60 {
		cut := 57
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		return s[:cut] + "..."
	}
	return s
}
