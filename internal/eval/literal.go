package eval

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

// intLiteral reads an integer literal with or without a suffix.
func intLiteral(text string) (value.Int, bool) {
	digits, base, suffix := syntax.Integer(text)
	typ := value.Any
	if suffix != "" {
		if typ = value.IntTypeOf(suffix); typ == 0 {
			return value.Int{}, false
		}
	}
	if n, err := strconv.ParseInt(digits, base, 64); err == nil {
		return value.Small(n, typ), true
	}
	n, ok := new(big.Int).SetString(digits, base)
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
			const maxLength = 2000 // as of the digits of an integer
			if len(num) > maxLength || strings.ContainsAny(num, "eExX/") {
				break
			}
			if r, ok := new(big.Rat).SetString(strings.ReplaceAll(num, "_", "")); ok {
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
		if s, ok := syntax.Unquote(text); ok {
			if r, size := utf8.DecodeRuneInString(s); size == len(s) && size > 0 && r != utf8.RuneError {
				return value.Char(r)
			}
		}
	case syntax.Byte:
		if s, ok := syntax.Unquote(strings.TrimPrefix(text, "b")); ok && len(s) == 1 {
			return value.Small(int64(s[0]), value.U8)
		}
	case syntax.String:
		if s, ok := syntax.Unquote(text); ok && utf8.ValidString(s) {
			return value.Text(s)
		}
	}
	return m.unspecified("literal " + short(text))
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
