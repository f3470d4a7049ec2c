// Package manifest reads what Cargo and rustup read beside the sources: Cargo.toml, .cargo/config.toml and rust-toolchain files. It
// keeps what says which crates a tree has and what decides how they are verified and built.
//
// All of it is hostile input: nothing is run, followed or fetched. Values of an unexpected type are errors, keys that are not
// known are left alone, as Cargo does.
package manifest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/tomltext"
)

const (
	// maxSize is the largest file that is read, in bytes.
	maxSize = 4 << 20
	// maxDepth is the most parts of a key's path, and the most arrays and inline tables within one another. Cargo needs 5, and what others keep
	// in a manifest a few more.
	maxDepth = 16
)

// Error says what is wrong with a file, and where.
type Error struct {
	Path    string
	At      source.Position
	Message string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.At.Line, e.At.Column, e.Message)
}

// Setting is one key with its value as text: strings as they are, everything else as TOML writes it.
type Setting struct {
	Key, Value string
	Span       source.Span
}

// document is a decoded file with what is needed to say where a key stands.
type document struct {
	src  *source.File
	root map[string]any
	errs []error
	keys map[string]source.Span
}

func decode(src *source.File) (doc *document, err error) {
	fail := func(at source.Position, format string, args ...any) error {
		return &Error{Path: src.Path, At: at, Message: fmt.Sprintf(format, args...)}
	}
	start := source.Position{Line: 1, Column: 1}
	if len(src.Text) > maxSize {
		return nil, fail(start, "read TOML: the file has %d bytes, more than the %d that are read", len(src.Text), maxSize)
	}
	// The decoder panics on what it holds impossible; a file from a change must not end the process.
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, fail(start, "read TOML: the decoder failed: %v", r)
		}
	}()
	text := strings.TrimPrefix(string(src.Text), byteOrder)
	skip := len(src.Text) - len(text)
	places := tomltext.Scan(text, tomltext.Options{Depth: maxDepth, Bad: 1})
	if places.Deep != nil {
		return nil, fail(src.Position(skip+places.Deep.Start), "read TOML: nested more than %d deep", maxDepth)
	}
	// Where a statement made no sense the scan ended, and the decoder may think otherwise of it. It says what is wrong, if what is left cannot be deep.
	if n := len(places.Statements); n > 0 && !places.Statements[n-1].OK {
		start := places.Statements[n-1].Span.Start
		if rest := text[start:]; strings.Count(rest, "[")+strings.Count(rest, "{")+strings.Count(rest, ".") > 4*maxDepth {
			return nil, fail(src.Position(skip+start), "read TOML: this is no table or key")
		}
	}
	doc = &document{src: src, keys: locate(places, text, skip)}
	if _, err := toml.Decode(text, &doc.root); err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			return nil, fail(source.Position{Line: max(pe.Position.Line, 1), Column: max(pe.Position.Col, 1)}, "read TOML: %s", pe.Message)
		}
		return nil, fail(start, "read TOML: %v", err)
	}
	return doc, nil
}

// bad records that the value at a path of keys has the wrong type.
func (d *document) bad(path []string, want string) {
	d.errs = append(d.errs, &Error{Path: d.src.Path, At: d.src.Position(d.span(path).Start),
		Message: fmt.Sprintf("read %s: it must be %s", strings.Join(path, "."), want)})
}

// span of a key, or of the nearest key around it that can be found.
func (d *document) span(path []string) source.Span {
	for n := len(path); n > 0; n-- {
		if s, ok := d.keys[strings.Join(path[:n], "\x00")]; ok {
			return s
		}
	}
	return source.Span{}
}

func (d *document) err() error { return errors.Join(d.errs...) }

// table is a table of the document and the keys that lead to it.
type table struct {
	d    *document
	path []string
	m    map[string]any
}

func (d *document) table() table { return table{d: d, m: d.root} }

func (t table) at(key string) []string { return append(slices.Clone(t.path), key) }

func (t table) has(key string) bool { _, ok := t.m[key]; return ok }

// first is the first of the keys that is there: Cargo reads both a-b and a_b for some.
func (t table) first(keys ...string) string {
	for _, k := range keys {
		if t.has(k) {
			return k
		}
	}
	return keys[0]
}

func (t table) sub(key string) table {
	out := table{d: t.d, path: t.at(key)}
	switch v := t.m[key].(type) {
	case nil:
	case map[string]any:
		out.m = v
	default:
		t.d.bad(out.path, "a table")
	}
	return out
}

func (t table) keys() []string { return slices.Sorted(maps.Keys(t.m)) }

func (t table) str(key string) string {
	switch v := t.m[key].(type) {
	case nil:
		return ""
	case string:
		return v
	}
	t.d.bad(t.at(key), "a string")
	return ""
}

// inheritable is a string, or a table as in version.workspace = true, which gives "".
func (t table) inheritable(key string) string {
	if _, ok := t.m[key].(map[string]any); ok {
		return ""
	}
	return t.str(key)
}

func (t table) boolean(key string) *bool {
	switch v := t.m[key].(type) {
	case nil:
		return nil
	case bool:
		return &v
	}
	t.d.bad(t.at(key), "true or false")
	return nil
}

func (t table) strs(key string) []string {
	switch v := t.m[key].(type) {
	case nil:
		return nil
	case []any:
		var out []string
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				t.d.bad(t.at(key), "a list of strings")
				return out
			}
			out = append(out, s)
		}
		return out
	}
	t.d.bad(t.at(key), "a list of strings")
	return nil
}

// words is a list of strings, or one string split at blanks, as Cargo reads flags and aliases.
func (t table) words(key string) []string {
	if s, ok := t.m[key].(string); ok {
		return strings.Fields(s)
	}
	return t.strs(key)
}

func (t table) tables(key string) []table {
	var out []table
	add := func(m map[string]any) { out = append(out, table{d: t.d, path: t.at(key), m: m}) }
	switch v := t.m[key].(type) {
	case nil:
	case []map[string]any:
		for _, m := range v {
			add(m)
		}
	case []any:
		for _, e := range v {
			m, ok := e.(map[string]any)
			if !ok {
				t.d.bad(t.at(key), "a list of tables")
				return out
			}
			add(m)
		}
	default:
		t.d.bad(t.at(key), "a list of tables")
	}
	return out
}

// settings flattens a table: keys of tables within are joined with '.'.
func (t table) settings() []Setting {
	var out []Setting
	var walk func(t table, prefix string)
	walk = func(t table, prefix string) {
		for _, k := range t.keys() {
			if m, ok := t.m[k].(map[string]any); ok {
				walk(table{d: t.d, path: t.at(k), m: m}, prefix+k+".")
				continue
			}
			out = append(out, Setting{Key: prefix + k, Value: text(t.m[k]), Span: t.d.span(t.at(k))})
		}
	}
	walk(t, "")
	return out
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			if s, ok := e.(string); ok {
				parts[i] = fmt.Sprintf("%q", s)
			} else {
				parts[i] = text(e)
			}
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, k+" = "+text(v[k]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []map[string]any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = text(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(v)
}

// byteOrder is a mark that some editors begin a file with. It is not counted in the positions that the decoder tells.
const byteOrder = "\uFEFF"

// locate is where keys stand, with the keys that lead to them: the header, or the line that the key is in. Keys inside inline tables are not found
// (the key of the table around them is), nor are the tables of [[a]] told apart: the first is taken.
func locate(places *tomltext.Places, text string, skip int) map[string]source.Span {
	out := map[string]source.Span{}
	for _, st := range places.Statements {
		line := text[st.Span.Start:st.Span.End]
		if !st.Header {
			line, _, _ = strings.Cut(text[st.Span.Start:], "\n")
		}
		at := source.Span{Start: skip + st.Span.Start, End: skip + st.Span.Start + len(strings.TrimRight(line, " \t\r"))}
		for n := 1; n <= len(st.Path); n++ {
			k := strings.Join(st.Path[:n], "\x00")
			if _, ok := out[k]; !ok {
				out[k] = at
			}
		}
	}
	return out
}
