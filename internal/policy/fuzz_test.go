package policy

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/tomltext"
)

func seeds(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.toml")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(whole))
	f.Add([]byte(deciding))
	f.Add(Init())
}

// FuzzParse: whatever the file, a policy or diagnostics that lie in the file.
func FuzzParse(f *testing.F) {
	seeds(f)
	rules := testRules()
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse(FileName, text, rules)
		if err == nil {
			if p == nil {
				t.Fatal("no error and no policy")
			}
			for _, r := range rules {
				if d := p.Decide(r, "src/a.rs", "a::b", Date{2026, 1, 1}, nil); d.Severity < Off || d.Severity > Error {
					t.Fatalf("%s: %v", r.ID, d.Severity)
				}
			}
			p.InScope("src/a.rs")
			if p.MatchCost() < 1 {
				t.Fatalf("cost %d", p.MatchCost())
			}
			if ds := Compare(p, p, rules); len(ds) > 0 {
				t.Fatalf("differs from itself: %+v", ds)
			}
			there, back := Compare(Default(), p, rules), Compare(p, Default(), rules)
			if len(there) != len(back) {
				t.Fatalf("%d differences from the default, %d to it", len(there), len(back))
			}
			for _, d := range there {
				if d.Key == "" || d.Before == d.After {
					t.Fatalf("no difference: %+v", d)
				}
			}
			return
		}
		var ds Diagnostics
		if p != nil || !errors.As(err, &ds) || len(ds) == 0 {
			t.Fatalf("a policy with an error, or an error without a place: %v, %v", p, err)
		}
		// An empty rest after the last line feed is no line.
		lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
		last := ds[0]
		for _, d := range ds {
			start, end := d.Range.Start, d.Range.End
			if start.Line < 1 || start.Line > len(lines) || start.Column < 1 || start.Column > len(lines[start.Line-1])+1 {
				t.Errorf("%v is not in the file: %s", start, d.Message)
			}
			if end.Line < start.Line || end.Line == start.Line && end.Column < start.Column {
				t.Errorf("ends at %v before %v: %s", end, start, d.Message)
			}
			if compareRange(last.Range, d.Range) > 0 {
				t.Errorf("%v after %v", d.Range, last.Range)
			}
			last = d
			if d.Message == "" || d.Error() == "" {
				t.Error("no message")
			}
		}
	})
}

// FuzzLocate: in every text that the TOML library reads, the scanner finds the
// same keys in the same order, and understands every statement.
func FuzzLocate(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > maxFile || bytes.HasPrefix(text, []byte(byteOrder)) || (&parser{file: source.NewFile("", nil)}).badBytes(string(text)) {
			return
		}
		p := locate(string(text))
		if p.Deep != nil {
			return
		}
		doc, keys, err := decodeTOML(string(text))
		if err != nil {
			return
		}
		var want [][]string
		for _, k := range keys {
			want = append(want, k)
			if p.At(k...) == nil {
				t.Errorf("key %q is not found", k)
			}
		}
		if diff := cmp.Diff(want, p.Keys); diff != "" {
			t.Errorf("keys (-library +scanner):\n%s", diff)
		}
		for _, st := range p.Statements {
			if !st.OK {
				t.Errorf("statement %q is not understood", text[st.Span.Start:st.Span.End])
			}
		}
		tables(t, p, nil, doc)
	})
}

// tables checks that what the library says is in a table has a place inside
// the text: also the tables that are only implied.
func tables(t *testing.T, p *tomltext.Places, path []string, m map[string]any) {
	for k, v := range m {
		full := append(slices.Clone(path), k)
		pl := p.At(full...)
		if pl == nil || pl.Key.End <= pl.Key.Start {
			t.Errorf("key %q has no place", full)
			continue
		}
		switch v := v.(type) {
		case map[string]any:
			tables(t, p, full, v)
		case []any:
			if len(pl.Elems) != len(v) {
				t.Errorf("array %q has %d elements, %d places", full, len(v), len(pl.Elems))
			}
		}
	}
}
