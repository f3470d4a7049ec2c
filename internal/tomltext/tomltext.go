// Package tomltext finds where the keys of a TOML text stand, and how deep it nests, before a library reads it.
package tomltext

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/specgate/specgate/internal/source"
)

// The TOML library keeps the place of a key to itself. This file finds the
// places: a scanner of TOML 1.1's keys, tables and values that knows just
// enough of a value to find its end. What a value means is left to the library.

// Options are the bounds of a text.
type Options struct {
	// Depth is the most parts of a key's path, and the most arrays and inline tables within one another. The library's time grows with the
	// cube of the first, and its stack, of which no overflow can be caught, with the second.
	Depth int
	// Bad is the most statements that make no sense; what follows the last of them is left out. Each may swallow all of the text.
	Bad int
	// Keys says that Keys, and what At gives, are wanted.
	Keys bool
}

// Places are the places of all keys of a TOML text, as byte offsets.
type Places struct {
	Statements []Statement
	// Keys are the full paths of all keys in the order of the text, as the
	// library lists them: of tables too, but not of tables that are implied.
	Keys [][]string
	// Deep is where the text first goes below Depth, if it does. It is looked for as far as the text makes sense.
	Deep *source.Span

	index map[string]*Place
}

// Place is where a key is first written, and its value if it has one there.
type Place struct {
	Key   source.Span
	Value source.Span
	Elems []source.Span
}

// Statement is a table header or a key with its value.
type Statement struct {
	Path   []string
	Header bool
	// Span is the statement, without what ends its line; Value is empty for a
	// header and where the value is missing.
	Span  source.Span
	Value source.Span
	// OK is false if the scanner could not make sense of it.
	OK bool
}

// Scan finds the places of a text that has no byte order mark.
func Scan(text string, o Options) *Places {
	s := &scanner{text: text, o: o, out: &Places{index: map[string]*Place{}}}
	s.run()
	return s.out
}

// At is the place of the key with this path.
func (p *Places) At(path ...string) *Place {
	return p.index[pathKey(path)]
}

func pathKey(path []string) string {
	var b strings.Builder
	for _, part := range path {
		b.WriteString(strconv.Quote(part))
		b.WriteByte('.')
	}
	return b.String()
}

type scanner struct {
	text  string
	o     Options
	i     int
	table []string
	out   *Places
	bad   int
}

func (s *scanner) run() {
	for {
		s.skipBlank()
		if s.i == len(s.text) {
			return
		}
		start := s.i
		st := Statement{}
		if s.has("[") {
			st.Header = true
			st.OK = s.header(&st)
		} else {
			st.OK = s.keyValue(&st)
		}
		s.skipSpace()
		if !s.atLineEnd() {
			st.OK = false
			s.i = s.lineEnd(s.i)
		}
		st.Span = source.Span{Start: start, End: s.i}
		s.out.Statements = append(s.out.Statements, st)
		if !st.OK {
			if s.bad++; s.bad >= s.o.Bad {
				return
			}
		}
	}
}

func (s *scanner) header(st *Statement) bool {
	open, end := "[", "]"
	if strings.HasPrefix(s.text[s.i:], "[[") {
		open, end = "[[", "]]"
	}
	s.i += len(open)
	parts, ok := s.key()
	if !ok || !s.has(end) {
		return false
	}
	s.i += len(end)
	st.Path = s.add(nil, parts)
	s.table = st.Path
	return true
}

func (s *scanner) keyValue(st *Statement) bool {
	start := s.i
	parts, ok := s.key()
	if !ok || !s.has("=") {
		return false
	}
	s.i++
	s.skipSpace()
	st.Path = s.add(s.table, parts)
	from := s.i
	pl := &Place{}
	ok = s.value(st.Path, pl, len(st.Path))
	if !ok {
		// An open bracket or string swallows what follows. Go on at the next
		// line that looks like a statement, to report that one by itself.
		s.i = s.lineEnd(start)
		for s.i < len(s.text) && !s.statementAt(s.i+1) {
			s.i = s.lineEnd(s.i + 1)
		}
	}
	st.Value = source.Span{Start: from, End: s.i}
	pl.Value = st.Value
	s.setValue(st.Path, pl)
	return ok
}

// statementAt says whether the text at i, the start of a line, reads as a
// table header or as a key and an equals sign.
func (s *scanner) statementAt(i int) bool {
	probe := scanner{text: s.text, i: i}
	probe.skipSpace()
	if probe.has("[") {
		probe.i++
		if probe.has("[") {
			probe.i++
		}
		_, ok := probe.key()
		return ok && probe.has("]")
	}
	_, ok := probe.key()
	return ok && probe.has("=")
}

type keyPart struct {
	name string
	span source.Span
}

// key reads the parts of a key and the space after it.
func (s *scanner) key() ([]keyPart, bool) {
	var parts []keyPart
	for {
		s.skipSpace()
		start := s.i
		name, ok := "", false
		switch {
		case s.has(`"`):
			if s.quoted('"') {
				name, ok = unescape(s.text[start+1 : s.i-1])
			}
		case s.has("'"):
			if ok = s.quoted('\''); ok {
				name = s.text[start+1 : s.i-1]
			}
		default:
			for s.i < len(s.text) && IsBare(s.text[s.i]) {
				s.i++
			}
			name, ok = s.text[start:s.i], s.i > start
		}
		if !ok {
			return nil, false
		}
		parts = append(parts, keyPart{name, source.Span{Start: start, End: s.i}})
		s.skipSpace()
		if !s.has(".") {
			return parts, true
		}
		s.i++
	}
}

// add records the key that parts name in a table, and the tables that it implies.
func (s *scanner) add(table []string, parts []keyPart) []string {
	path := slices.Clone(table)
	for _, part := range parts {
		path = append(path, part.name)
		if len(path) > s.o.Depth {
			s.tooDeep(part.span)
			break
		}
		if !s.o.Keys {
			continue
		}
		if k := pathKey(path); s.out.index[k] == nil {
			s.out.index[k] = &Place{Key: part.span}
		}
	}
	if s.o.Keys {
		s.out.Keys = append(s.out.Keys, path)
	}
	return path
}

func (s *scanner) setValue(path []string, v *Place) {
	if !s.o.Keys {
		return
	}
	if pl := s.out.index[pathKey(path)]; pl != nil && pl.Value == (source.Span{}) {
		pl.Value, pl.Elems = v.Value, v.Elems
	}
}

func (s *scanner) tooDeep(at source.Span) {
	if s.out.Deep == nil {
		s.out.Deep = &at
	}
}

// value reads one value; pl gets the elements if it is an array.
func (s *scanner) value(path []string, pl *Place, depth int) bool {
	if depth > s.o.Depth {
		s.tooDeep(source.Span{Start: s.i, End: s.i + 1})
		return false
	}
	switch {
	case s.has(`"""`):
		return s.multiline(`"`)
	case s.has("'''"):
		return s.multiline("'")
	case s.has(`"`):
		return s.quoted('"')
	case s.has("'"):
		return s.quoted('\'')
	case s.has("["):
		return s.array(path, pl, depth)
	case s.has("{"):
		return s.inlineTable(path, depth)
	}
	start := s.i
	for s.i < len(s.text) && !strings.ContainsRune(",]}#\n\r", rune(s.text[s.i])) {
		s.i++
	}
	s.i = start + len(strings.TrimRight(s.text[start:s.i], " \t"))
	return s.i > start
}

func (s *scanner) array(path []string, pl *Place, depth int) bool {
	s.i++
	for {
		s.skipBlank()
		if s.has("]") {
			s.i++
			return true
		}
		start := s.i
		if !s.value(path, &Place{}, depth+1) {
			return false
		}
		pl.Elems = append(pl.Elems, source.Span{Start: start, End: s.i})
		s.skipBlank()
		switch {
		case s.has(","):
			s.i++
		case !s.has("]"):
			return false
		}
	}
}

func (s *scanner) inlineTable(path []string, depth int) bool {
	s.i++
	for {
		s.skipBlank()
		if s.has("}") {
			s.i++
			return true
		}
		parts, ok := s.key()
		if !ok || !s.has("=") {
			return false
		}
		s.i++
		s.skipSpace()
		inner := s.add(path, parts)
		start, pl := s.i, &Place{}
		if !s.value(inner, pl, max(depth+1, len(inner))) {
			return false
		}
		pl.Value = source.Span{Start: start, End: s.i}
		s.setValue(inner, pl)
		s.skipBlank()
		switch {
		case s.has(","):
			s.i++
		case !s.has("}"):
			return false
		}
	}
}

// quoted reads a string on one line.
func (s *scanner) quoted(quote byte) bool {
	for s.i++; s.i < len(s.text); s.i++ {
		switch c := s.text[s.i]; {
		case c == quote:
			s.i++
			return true
		case c == '\n':
			return false
		case c == '\\' && quote == '"' && s.i+1 < len(s.text) && s.text[s.i+1] != '\n':
			s.i++
		}
	}
	return false
}

// multiline reads a string between three quotes. Up to two quotes more at its
// end belong to the string, so it ends with the last of a run.
func (s *scanner) multiline(quote string) bool {
	for s.i += 3; s.i < len(s.text); {
		run := len(s.text[s.i:]) - len(strings.TrimLeft(s.text[s.i:], quote))
		switch {
		case run >= 3:
			s.i += run
			return true
		case run > 0:
			s.i += run
		case s.text[s.i] == '\\' && quote == `"`:
			s.i += 2
		default:
			s.i++
		}
	}
	s.i = len(s.text)
	return false
}

// unescape gives the text of a one-line string without its quotes.
func unescape(raw string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			b.WriteByte(raw[i])
			continue
		}
		i++
		if i == len(raw) {
			return "", false
		}
		digits := 0
		switch raw[i] {
		case 'b':
			b.WriteByte('\b')
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'f':
			b.WriteByte('\f')
		case 'r':
			b.WriteByte('\r')
		case 'e':
			b.WriteByte(0x1b)
		case '"', '\\':
			b.WriteByte(raw[i])
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		default:
			return "", false
		}
		if digits == 0 {
			continue
		}
		if i+digits >= len(raw) {
			return "", false
		}
		r, err := strconv.ParseUint(raw[i+1:i+1+digits], 16, 32)
		if err != nil || !utf8.ValidRune(rune(r)) {
			return "", false
		}
		b.WriteRune(rune(r))
		i += digits
	}
	return b.String(), true
}

func (s *scanner) has(prefix string) bool { return strings.HasPrefix(s.text[s.i:], prefix) }

func (s *scanner) skipSpace() {
	for s.i < len(s.text) && (s.text[s.i] == ' ' || s.text[s.i] == '\t') {
		s.i++
	}
}

// skipBlank skips spaces, line endings and comments.
func (s *scanner) skipBlank() {
	for s.i < len(s.text) {
		switch s.text[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		case '#':
			s.i = s.lineEnd(s.i)
		default:
			return
		}
	}
}

func (s *scanner) atLineEnd() bool {
	return s.i == len(s.text) || s.text[s.i] == '\n' || s.text[s.i] == '\r' || s.text[s.i] == '#'
}

// lineEnd is the offset of the line feed that ends the line of i, or the text's length.
func (s *scanner) lineEnd(i int) int {
	if i > len(s.text) {
		return len(s.text)
	}
	if n := strings.IndexByte(s.text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(s.text)
}

// IsBare tells a byte of a key that needs no quotes.
func IsBare(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
