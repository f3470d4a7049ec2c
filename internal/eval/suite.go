package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/specgate/specgate/internal/source"
)

// Suite is a file of cases: {"function": SYMBOL, "params": [[NAME, TYPE], ..], "result": [NAME, TYPE], "cases": [{"args": {NAME: VALUE},
// "result": VALUE, "after": {NAME: VALUE}}, ..]}. Types and values are Rust, in strings. See docs/spectest.md.
type Suite struct {
	// Function is the symbol that the file names; empty if none.
	Function string
	// Params are nil, and Result is nil, when the file does not give them.
	Params []Typed
	Result *Typed
	// Broken is the first place around the cases where the file is not well formed: cases behind it may be lost. Nil if there is none.
	Broken error

	file     *source.File
	cases    []source.Span
	paramsAt int
}

// Typed is a parameter, or the result, with its type as a suite gives it.
type Typed struct {
	Name, Type string
	at         int // of the name
	result     bool
}

func (t Typed) what() string {
	if t.result {
		return "the result"
	}
	return strconv.Quote(short(t.Name))
}

// CaseError is a place of a file of cases that cannot be read.
type CaseError struct {
	File string
	At   source.Position
	Err  error
}

func (e *CaseError) Error() string { return fmt.Sprintf("%s:%v: %v", e.File, e.At, e.Err) }
func (e *CaseError) Unwrap() error { return e.Err }

func (s *Suite) errorf(at int, format string, args ...any) error {
	return &CaseError{s.file.Path, s.file.Position(at), fmt.Errorf(format, args...)}
}

// Len is the number of cases.
func (s *Suite) Len() int { return len(s.cases) }

// ReadSuite reads all of a file but its cases, of which it finds out only where they stand, so that one that cannot be read loses no
// other. The error is a *CaseError.
func ReadSuite(file *source.File) (*Suite, error) {
	s := &Suite{file: file}
	if !utf8.Valid(file.Text) {
		at := 0
		for r, n := utf8.DecodeRune(file.Text); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRune(file.Text[at:]) {
			at += n
		}
		return nil, s.errorf(at, "byte 0x%02x is not UTF-8, which JSON is; convert the file", file.Text[at])
	}
	start := s.space(0)
	whole, closed := s.extent(start, len(file.Text))
	rest := s.space(whole)
	listed := false
	var content error // a mistake in what a key means, not in the JSON around it
	err := s.object(source.Span{Start: start, End: whole}, func(key string, at int, v source.Span) error {
		if key == "cases" {
			listed = true
			s.caseList(v)
			return nil
		}
		content = s.head(key, at, v)
		return content
	})
	switch {
	case content != nil, err != nil && !listed:
		return nil, err
	case !listed:
		return nil, s.errorf(start, "there is no key \"cases\"; give a list of cases")
	case s.Broken != nil:
	case err != nil:
		s.Broken = err
	case !closed:
		s.Broken = s.errorf(whole, "the file ends too early; close what is open")
	case rest < len(file.Text):
		s.Broken = s.errorf(rest, "there is something behind the end of the JSON; take it away")
	}
	return s, nil
}

// head reads a key that is not cases.
func (s *Suite) head(key string, at int, v source.Span) (err error) {
	switch key {
	case "function":
		s.Function, err = s.str(v, "a symbol")
	case "params":
		s.Params, s.paramsAt = []Typed{}, v.Start
		return s.list(v, func(p source.Span) error {
			t, err := s.typed(p)
			for _, other := range s.Params {
				if err == nil && other.Name == t.Name {
					return s.errorf(p.Start, "parameter %q is given twice; take one away", short(t.Name))
				}
			}
			s.Params = append(s.Params, t)
			return err
		})
	case "result":
		var t Typed
		t, err = s.typed(v)
		t.result = true
		s.Result = &t
	case "instance", "note":
		return s.any(v)
	default:
		return s.errorf(at, "unknown key %q; a file of cases has function, params, result and cases", short(key))
	}
	return err
}

func (s *Suite) typed(v source.Span) (t Typed, err error) {
	t.at = v.Start
	var parts []string
	err = s.list(v, func(p source.Span) error {
		text, err := s.str(p, "a name, or a type")
		parts = append(parts, text)
		return err
	})
	if err == nil && len(parts) != 2 {
		err = s.errorf(v.Start, "want [NAME, TYPE]")
	}
	if err != nil {
		return t, err
	}
	t.Name, t.Type = parts[0], parts[1]
	return t, nil
}

// caseList finds the cases. A comma that is missing between two is no loss, nor is a bracket within one.
func (s *Suite) caseList(v source.Span) {
	broken := func(at int, text string) {
		if s.Broken == nil {
			s.Broken = s.errorf(at, "%s", text)
		}
	}
	if s.byte(v.Start, v.End) != '[' {
		broken(v.Start, "want a list of cases, [ .. ]")
		return
	}
	at := s.space(v.Start + 1)
	for first := true; ; first = false {
		if first && s.byte(at, v.End) == ']' {
			break
		}
		end := s.caseEnd(at, v.End)
		if end == at {
			broken(at, "want a case, { .. }")
			return
		}
		s.cases = append(s.cases, source.Span{Start: at, End: end})
		at = s.space(end)
		switch c := s.byte(at, v.End); {
		case c == ',':
			at = s.space(at + 1)
			continue
		case c == '{':
			broken(at, "want a comma between two cases")
			continue
		case c != ']':
			broken(at, "want a comma or the ] that ends the cases; the rest of the file is not read")
			return
		}
		break
	}
	if at+1 != v.End {
		broken(at, "the brackets do not match; the rest of the file is not read")
	}
}

// nextCase is how a case begins: within another one nothing does.
var nextCase = regexp.MustCompile(`^\{\s*"args"\s*:\s*\{`)

// caseEnd finds where a case ends: at its closing bracket, or before the next case when that bracket is missing.
func (s *Suite) caseEnd(at, limit int) int {
	const opening = 200 // bytes in which a case begins
	next := false
	end, _ := s.value(at, limit, func(i int) bool {
		next = i > at && nextCase.Match(s.file.Text[i:min(limit, i+opening)])
		return next
	})
	for next && end > at+1 && strings.IndexByte(" \t\r\n,", s.file.Text[end-1]) >= 0 {
		end--
	}
	return end
}

// The rest reads JSON strictly, with the place of every part, which encoding/json does not tell.

func (s *Suite) byte(at, end int) byte {
	if at < end {
		return s.file.Text[at]
	}
	return 0
}

// space skips white space.
func (s *Suite) space(at int) int {
	for at < len(s.file.Text) {
		switch s.file.Text[at] {
		case ' ', '\t', '\n', '\r':
			at++
		default:
			return at
		}
	}
	return at
}

// extent finds where a value ends, without regard to whether it is well formed: an object or list at the bracket that closes it, a
// string at its quote or at the end of the line. closed is false if the text ends first.
func (s *Suite) extent(at, limit int) (end int, closed bool) {
	return s.value(at, limit, func(int) bool { return false })
}

// value is extent, which stops before an opening bracket where stop says so.
func (s *Suite) value(at, limit int, stop func(at int) bool) (end int, closed bool) {
	depth := 0
	for i := at; i < limit; i++ {
		switch c := s.file.Text[i]; c {
		case '{', '[':
			if stop(i) {
				return i, false
			}
			depth++
		case '}', ']':
			if depth == 0 {
				return i, true
			}
			if depth--; depth == 0 {
				return i + 1, true
			}
		case '"':
			for i++; i < limit && s.file.Text[i] != '"' && s.file.Text[i] != '\n'; i++ {
				if s.file.Text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return min(i+1, limit), i < limit
			}
		case ',', ' ', '\t', '\n', '\r', ':':
			if depth == 0 {
				return i, true
			}
		}
	}
	return limit, depth == 0
}

// object visits the members of an object, in order; at is the place of the key.
func (s *Suite) object(v source.Span, visit func(key string, at int, v source.Span) error) error {
	if s.byte(v.Start, v.End) != '{' {
		return s.errorf(v.Start, "want an object, { .. }")
	}
	seen := map[string]bool{}
	at := s.space(v.Start + 1)
	if s.byte(at, v.End) == '}' {
		return s.behind(at+1, v)
	}
	for {
		end, _ := s.extent(at, v.End)
		key, err := s.str(source.Span{Start: at, End: end}, "a key in double quotes")
		if err != nil {
			return err
		}
		if seen[key] {
			return s.errorf(at, "the key %q is there twice; take one away", short(key))
		}
		seen[key] = true
		colon := s.space(end)
		if s.byte(colon, v.End) != ':' {
			return s.errorf(colon, "want a colon behind the key %q", short(key))
		}
		start := s.space(colon + 1)
		end, _ = s.extent(start, v.End)
		if err := visit(key, at, source.Span{Start: start, End: end}); err != nil {
			return err
		}
		at = s.space(end)
		switch s.byte(at, v.End) {
		case ',':
			at = s.space(at + 1)
		case '}':
			return s.behind(at+1, v)
		default:
			return s.errorf(at, "want a comma or the } of the object that begins at %v", s.file.Position(v.Start))
		}
	}
}

// list visits the elements of a list, in order.
func (s *Suite) list(v source.Span, visit func(v source.Span) error) error {
	if s.byte(v.Start, v.End) != '[' {
		return s.errorf(v.Start, "want a list, [ .. ]")
	}
	at := s.space(v.Start + 1)
	if s.byte(at, v.End) == ']' {
		return s.behind(at+1, v)
	}
	for {
		end, _ := s.extent(at, v.End)
		if end == at {
			return s.errorf(at, "want a value")
		}
		if err := visit(source.Span{Start: at, End: end}); err != nil {
			return err
		}
		at = s.space(end)
		switch s.byte(at, v.End) {
		case ',':
			at = s.space(at + 1)
		case ']':
			return s.behind(at+1, v)
		default:
			return s.errorf(at, "want a comma or the ] of the list that begins at %v", s.file.Position(v.Start))
		}
	}
}

// behind checks that an object or list that was read ends where its brackets do.
func (s *Suite) behind(at int, v source.Span) error {
	if at != v.End {
		return s.errorf(at, "the brackets do not match")
	}
	return nil
}

func (s *Suite) str(v source.Span, want string) (string, error) {
	if s.byte(v.Start, v.End) != '"' {
		return "", s.errorf(v.Start, "want %s, as a JSON string", want)
	}
	if v.End-v.Start < 2 || s.file.Text[v.End-1] != '"' {
		return "", s.errorf(v.Start, "this string has no end; close it with a double quote on the same line")
	}
	var out string
	if err := json.Unmarshal(s.file.Text[v.Start:v.End], &out); err != nil {
		return "", s.jsonError(v, err)
	}
	return out, nil
}

// any checks a value that is for the reader of the file.
func (s *Suite) any(v source.Span) error {
	var raw json.RawMessage
	if err := json.Unmarshal(s.file.Text[v.Start:v.End], &raw); err != nil {
		return s.jsonError(v, err)
	}
	return nil
}

func (s *Suite) jsonError(v source.Span, err error) error {
	at := v.Start
	var bad *json.SyntaxError
	if errors.As(err, &bad) {
		at += max(int(bad.Offset)-1, 0)
	}
	return s.errorf(at, "not JSON: %w", err)
}
