package syntax

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// lexer turns a text into tokens. It reads any bytes: what is no token of Rust becomes an Invalid token with an error.
type lexer struct {
	src    []byte
	pos    int
	toks   []token
	errs   []Error
	open   []openDelim
	marker bool // a `<<<<<<<` conflict marker was seen
}

// openDelim is a delimiter that is not closed yet. The counts make a stray closing delimiter cost nothing: how many of each
// kind are open here, parentheses and brackets since the innermost brace only.
type openDelim struct {
	tok                      int32
	braces, parens, brackets int32
}

// lex returns the tokens of src, the last of which is EOF, with delimiters matched.
func lex(src []byte) ([]token, []Error) {
	l := &lexer{src: src, toks: make([]token, 0, len(src)/4+16)}
	if !utf8.Valid(src) {
		at := 0
		for at < len(src) {
			r, n := utf8.DecodeRune(src[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
		l.fail(at, at+1, "the file is not UTF-8 here; Rust source must be")
	}
	l.pos = skipStart(src)
	for l.next() {
	}
	l.unclosed(l.open, int32(len(l.toks)))
	l.toks = append(l.toks, token{kind: EOF, start: uint32(len(src)), end: uint32(len(src))})
	return l.toks, l.errs
}

// skipStart passes over a byte order mark and a shebang line, as rustc does: `#!` followed by `[` is an attribute.
func skipStart(src []byte) int {
	pos := 0
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		pos = 3
	}
	if !bytes.HasPrefix(src[pos:], []byte("#!")) {
		return pos
	}
	rest := &lexer{src: src, pos: pos + 2}
	rest.trivia()
	if rest.pos < len(src) && src[rest.pos] == '[' {
		return pos
	}
	if i := bytes.IndexByte(src[pos:], '\n'); i >= 0 {
		return pos + i
	}
	return len(src)
}

func (l *lexer) fail(start, end int, message string) {
	e := Error{Message: message}
	e.Span.Start, e.Span.End = start, end
	l.errs = append(l.errs, e)
}

// trivia passes over white space and comments.
func (l *lexer) trivia() {
	src := l.src
	for l.pos < len(src) {
		switch c := src[l.pos]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
			l.pos++
		case c == '/' && l.pos+1 < len(src) && src[l.pos+1] == '/':
			if i := bytes.IndexByte(src[l.pos:], '\n'); i >= 0 {
				l.pos += i + 1
			} else {
				l.pos = len(src)
			}
		case c == '/' && l.pos+1 < len(src) && src[l.pos+1] == '*':
			l.blockComment()
		case c >= 0x80:
			// Rust's other white space (Pattern_White_Space): NEL, LRM, RLM, line and paragraph separator.
			r, n := utf8.DecodeRune(src[l.pos:])
			if r != 0x85 && r != 0x200e && r != 0x200f && r != 0x2028 && r != 0x2029 {
				return
			}
			l.pos += n
		default:
			return
		}
	}
}

func (l *lexer) blockComment() {
	start, depth := l.pos, 0
	for l.pos < len(l.src) {
		i := bytes.IndexAny(l.src[l.pos:], "/*")
		if i < 0 || l.pos+i+1 >= len(l.src) {
			break
		}
		l.pos += i
		switch {
		case l.src[l.pos] == '/' && l.src[l.pos+1] == '*':
			depth++
			l.pos += 2
		case l.src[l.pos] == '*' && l.src[l.pos+1] == '/':
			depth--
			l.pos += 2
			if depth == 0 {
				return
			}
		default:
			l.pos++
		}
	}
	l.pos = len(l.src)
	l.fail(start, start+2, "this block comment is never closed")
}

func (l *lexer) emit(kind TokenKind, start int) {
	l.toks = append(l.toks, token{kind: kind, start: uint32(start), end: uint32(l.pos)})
}

// byteAt returns the byte n behind the current one, 0 past the end.
func (l *lexer) byteAt(n int) byte {
	if l.pos+n < len(l.src) {
		return l.src[l.pos+n]
	}
	return 0
}

const (
	classIdent = 1 << iota // letters and underscore
	classDigit
)

var class = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
			t[c] = classIdent
		case c >= '0' && c <= '9':
			t[c] = classDigit
		}
	}
	return t
}()

func (l *lexer) next() bool {
	l.trivia()
	if l.pos >= len(l.src) {
		return false
	}
	start := l.pos
	c := l.src[start]
	switch {
	case class[c]&classIdent != 0:
		l.word(start)
	case class[c]&classDigit != 0:
		l.number(start)
	case c == '"':
		l.quoted(start, '"', String)
	case c == '\'':
		l.quote(start)
	case c >= 0x80:
		r, n := utf8.DecodeRune(l.src[start:])
		if isIdentStart(r) {
			l.word(start)
			break
		}
		l.pos += n
		l.emit(Invalid, start)
		l.fail(start, l.pos, "this character is no part of Rust")
	default:
		l.punct(start, c)
	}
	return true
}

func isIdentStart(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.Is(unicode.Nl, r))
}

func isIdentContinue(r rune) bool {
	return isIdentStart(r) || r != utf8.RuneError && unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc)
}

// identTail passes over the rest of an identifier.
func (l *lexer) identTail() {
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		if class[c] != 0 {
			l.pos++
			continue
		}
		if c < 0x80 {
			return
		}
		r, n := utf8.DecodeRune(l.src[l.pos:])
		if !isIdentContinue(r) {
			return
		}
		l.pos += n
	}
}

func (l *lexer) word(start int) {
	// Prefixed literals: r"" r#""# b"" b'' br"" c"" cr"" and raw identifiers r#x.
	switch l.src[start] {
	case 'r':
		if d := l.byteAt(1); d == '"' || d == '#' {
			if l.raw(start, 1, String) {
				return
			}
			if d == '#' {
				if r, _ := utf8.DecodeRune(l.src[start+2:]); r == '_' || isIdentStart(r) {
					l.pos += 2
					l.identTail()
					l.emit(Ident, start)
					return
				}
			}
		}
	case 'b':
		switch l.byteAt(1) {
		case '"':
			l.pos++
			l.quoted(start, '"', ByteString)
			return
		case '\'':
			l.pos++
			l.quoted(start, '\'', Byte)
			return
		case 'r':
			if d := l.byteAt(2); (d == '"' || d == '#') && l.raw(start, 2, ByteString) {
				return
			}
		}
	case 'c':
		switch l.byteAt(1) {
		case '"':
			l.pos++
			l.quoted(start, '"', CString)
			return
		case 'r':
			if d := l.byteAt(2); (d == '"' || d == '#') && l.raw(start, 2, CString) {
				return
			}
		}
	}
	l.identTail()
	kind := Ident
	if n := l.pos - start; n <= len("invariant_except_break") {
		kind = keyword(l.src[start:l.pos])
	}
	l.emit(kind, start)
}

// raw reads a raw string whose prefix has n bytes; false if it is none.
func (l *lexer) raw(start, n int, kind TokenKind) bool {
	p := start + n
	for p < len(l.src) && l.src[p] == '#' {
		p++
	}
	hashes := p - start - n
	if p >= len(l.src) || l.src[p] != '"' {
		return false
	}
	p++
	for {
		i := bytes.IndexByte(l.src[p:], '"')
		if i < 0 {
			l.pos = len(l.src)
			l.emit(Invalid, start)
			l.fail(start, start+n+hashes+1, "this raw string is never closed")
			return true
		}
		p += i + 1
		k := 0
		for k < hashes && p+k < len(l.src) && l.src[p+k] == '#' {
			k++
		}
		if k == hashes {
			l.pos = p + k
			l.literalSuffix()
			l.emit(kind, start)
			return true
		}
	}
}

// quoted reads a literal with escapes; l.pos is at its opening quote.
func (l *lexer) quoted(start int, quote byte, kind TokenKind) {
	for p := l.pos + 1; p < len(l.src); p++ {
		switch l.src[p] {
		case '\\':
			p++
		case quote:
			l.pos = p + 1
			l.literalSuffix()
			l.emit(kind, start)
			return
		case '\n':
			if quote == '\'' { // a byte literal does not span lines; what follows is more likely to make sense
				l.pos = p
				l.emit(Invalid, start)
				l.fail(start, p, "this literal is never closed")
				return
			}
		}
	}
	l.pos = len(l.src)
	l.emit(Invalid, start)
	l.fail(start, start+1, "this string is never closed")
}

func (l *lexer) literalSuffix() {
	if l.pos < len(l.src) {
		if r, _ := utf8.DecodeRune(l.src[l.pos:]); r == '_' || isIdentStart(r) {
			l.identTail()
		}
	}
}

// quote tells a character from a lifetime: 'a' against 'a.
func (l *lexer) quote(start int) {
	if l.byteAt(1) == '\\' {
		l.quoted(start, '\'', Char)
		return
	}
	if start+1 < len(l.src) {
		r, n := utf8.DecodeRune(l.src[start+1:])
		if l.byteAt(1+n) == '\'' && r != '\'' && r != '\n' {
			l.pos = start + n + 2
			l.literalSuffix()
			l.emit(Char, start)
			return
		}
		if r == '_' || isIdentStart(r) {
			l.pos += 1 + n
			if r == 'r' && l.byteAt(0) == '#' {
				l.pos++
			}
			l.identTail()
			l.emit(LifetimeToken, start)
			return
		}
	}
	l.pos++
	l.emit(Invalid, start)
	l.fail(start, l.pos, "this quote begins neither a character nor a lifetime")
}

func (l *lexer) number(start int) {
	src := l.src
	// After a dot, x.0.1 selects twice: digits only. The same holds after Verus's ->.
	if n := len(l.toks); n > 0 && (l.toks[n-1].kind == Dot || l.toks[n-1].kind == Arrow_) && int(l.toks[n-1].end) == start {
		l.identTail()
		l.emit(Int, start)
		return
	}
	if src[start] == '0' && (l.byteAt(1) == 'x' || l.byteAt(1) == 'o' || l.byteAt(1) == 'b') {
		l.pos += 2
		l.identTail()
		l.emit(Int, start)
		return
	}
	digits := func() {
		for l.pos < len(src) && (class[src[l.pos]]&classDigit != 0 || src[l.pos] == '_') {
			l.pos++
		}
	}
	digits()
	kind := Int
	if l.byteAt(0) == '.' {
		switch d := l.byteAt(1); {
		case class[d]&classDigit != 0:
			kind = Float
			l.pos++
			digits()
		case d == '.' || class[d]&classIdent != 0 || d >= 0x80:
			// 0..n, 1.max(2), and x.é
		default:
			kind = Float // `1.`
			l.pos++
			l.emit(kind, start)
			return
		}
	}
	if c := l.byteAt(0); c == 'e' || c == 'E' {
		n := 1
		if s := l.byteAt(1); s == '+' || s == '-' {
			n = 2
		}
		for l.byteAt(n) == '_' {
			n++
		}
		if class[l.byteAt(n)]&classDigit != 0 {
			kind = Float
			l.pos += n
			digits()
		}
	}
	l.identTail() // the suffix
	l.emit(kind, start)
}

// The operators, longest first for each first byte. split: the parser may take the token apart, so that holes follow it.
type operator struct {
	text  string
	kind  TokenKind
	split bool
}

var operators = func() (t [128][]operator) {
	for _, o := range []operator{
		{"...", DotDotDot, false}, {"..=", DotDotEq, false}, {"..", DotDot, false}, {".", Dot, false},
		{"::", ColonColon, false}, {":", Colon, false},
		{"->", Arrow_, false}, {"-=", MinusEq, false}, {"-", Minus, false},
		{"=~~=", DeepEq, false}, {"=~=", ExtEq, false}, {"===", EqEqEq, false}, {"==>", Implies, false}, {"=>", FatArrow, false},
		{"==", EqEq, false}, {"=", Eq, false},
		{"!~~=", NotDeep, false}, {"!~=", NotExtEq, false}, {"!==", NeEq, false}, {"!=", Ne, false}, {"!", Bang, false},
		{"<==>", Iff, false}, {"<==", Explies, false}, {"<<=", ShlEq, false}, {"<<", Shl, true}, {"<=", Le, false}, {"<", Lt, false},
		{">>=", ShrEq, true}, {">>", Shr, true}, {">=", Ge, true}, {">", Gt, false},
		{"&&&", AndAndAnd, true}, {"&&", AndAnd, true}, {"&=", AndEq, false}, {"&", And, false},
		{"|||", OrOrOr, true}, {"||", OrOr, true}, {"|=", OrEq, false}, {"|", Or, false},
		{"+=", PlusEq, false}, {"+", Plus, false}, {"*=", StarEq, false}, {"*", Star, false}, {"/=", SlashEq, false}, {"/", Slash, false},
		{"%=", PercentEq, false}, {"%", Percent, false}, {"^=", CaretEq, false}, {"^", Caret, false},
		{";", Semi, false}, {",", Comma, false}, {"@", At, false}, {"#", Hash, false}, {"?", Question, false}, {"$", Dollar, false},
		{"~", Tilde, false},
	} {
		t[o.text[0]] = append(t[o.text[0]], o)
	}
	return t
}()

func (l *lexer) punct(start int, c byte) {
	switch c {
	case '(', '[', '{':
		l.pos++
		l.openDelim(openKind(c), start)
		return
	case ')', ']', '}':
		l.pos++
		l.close(closeKind(c), start)
		return
	case '<', '=', '>', '|':
		if l.conflict(start, c) {
			return
		}
	}
	for _, o := range operators[c] {
		if len(o.text) == 1 || bytes.HasPrefix(l.src[start:], []byte(o.text)) {
			l.pos += len(o.text)
			l.emit(o.kind, start)
			if o.split {
				for i := 1; i < len(o.text); i++ {
					l.toks = append(l.toks, token{kind: hole, start: uint32(l.pos), end: uint32(l.pos)})
				}
			}
			return
		}
	}
	l.pos++
	l.emit(Invalid, start)
	l.fail(start, l.pos, "this character is no part of Rust")
}

func openKind(c byte) TokenKind {
	switch c {
	case '(':
		return LParen
	case '[':
		return LBracket
	}
	return LBrace
}

func closeKind(c byte) TokenKind {
	switch c {
	case ')':
		return RParen
	case ']':
		return RBracket
	}
	return RBrace
}

func (l *lexer) openDelim(kind TokenKind, start int) {
	d := openDelim{tok: int32(len(l.toks))}
	if n := len(l.open); n > 0 {
		top := l.open[n-1]
		d.braces, d.parens, d.brackets = top.braces, top.parens, top.brackets
	}
	switch kind {
	case LBrace:
		d.braces, d.parens, d.brackets = d.braces+1, 0, 0
	case LParen:
		d.parens++
	case LBracket:
		d.brackets++
	}
	l.open = append(l.open, d)
	l.emit(kind, start)
}

// close matches a closing delimiter with the nearest open one of its kind; those in between are never closed. A stray `)` or
// `]` does not close what a brace around it holds: braces are the stronger structure.
func (l *lexer) close(kind TokenKind, start int) {
	at := int32(len(l.toks))
	l.emit(kind, start)
	var have int32
	if n := len(l.open); n > 0 {
		switch top := l.open[n-1]; kind {
		case RBrace:
			have = top.braces
		case RParen:
			have = top.parens
		case RBracket:
			have = top.brackets
		}
	}
	if have == 0 {
		l.toks[at].kind = Invalid
		l.fail(start, l.pos, "this delimiter closes nothing")
		return
	}
	i := len(l.open) - 1
	for l.toks[l.open[i].tok].kind+1 != kind {
		i--
	}
	l.unclosed(l.open[i+1:], at)
	o := l.open[i].tok
	l.toks[o].match, l.toks[at].match = at, o
	l.open = l.open[:i]
}

// unclosed ends delimiters that have no closing one at token at.
func (l *lexer) unclosed(lost []openDelim, at int32) {
	for _, d := range lost {
		t := &l.toks[d.tok]
		t.match = at
		l.fail(int(t.start), int(t.end), "this delimiter is never closed")
	}
}

// conflict reads a line that git leaves in a file with merge conflicts.
func (l *lexer) conflict(start int, c byte) bool {
	if l.byteAt(6) != c || start > 0 && l.src[start-1] != '\n' {
		return false
	}
	for i := 1; i < 6; i++ {
		if l.byteAt(i) != c {
			return false
		}
	}
	if after := l.byteAt(7); after != ' ' && after != '\n' && after != '\r' && after != 0 {
		return false
	}
	if c == '<' {
		l.marker = true
	} else if !l.marker {
		return false
	}
	end := len(l.src)
	if i := bytes.IndexByte(l.src[start:], '\n'); i >= 0 {
		end = start + i
	}
	l.pos = end
	l.emit(Conflict, start)
	l.fail(start, end, "merge conflict marker; resolve the conflict first")
	return true
}
