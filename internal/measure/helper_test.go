package measure_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/measure"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/sandbox/sandboxtest"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/spectest"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// tree is a crate of one file, src/lib.rs.
type tree struct {
	text   string
	parsed *syntax.File
}

const lib = "src/lib.rs"

func (t *tree) Paths() []string { return []string{lib} }

func (t *tree) Read(path string) ([]byte, error) {
	if path != lib {
		return nil, fmt.Errorf("read %s: %w", path, fs.ErrNotExist)
	}
	return []byte(t.text), nil
}

func (t *tree) Parse(path string) (*syntax.File, error) {
	if t.parsed == nil {
		text, err := t.Read(path)
		if err != nil {
			return nil, err
		}
		t.parsed = syntax.Parse(source.NewFile(path, text))
	}
	return t.parsed, nil
}

func (t *tree) Mentions(words ...string) []string {
	for _, w := range words {
		if strings.Contains(t.text, w) {
			return []string{lib}
		}
	}
	return nil
}

func index(t testing.TB, text string) *model.Model {
	t.Helper()
	m, err := model.New(context.Background(), &tree{text: text}, []string{lib})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func world(m *model.Model) *eval.World {
	var sources []eval.Source
	for _, f := range m.Files {
		sources = append(sources, eval.Source{Crate: f.Crate.Name, Module: f.Module, File: f.Syntax})
	}
	return eval.NewWorld(sources)
}

// rustc is the compiler. Without one the test is skipped, or fails where it must not be.
func rustc(t testing.TB) string {
	t.Helper()
	path := sandboxtest.Oracle.Program(t, "rustc")
	return path
}

// compiled runs the functions of a text.
func compiled(t testing.TB, text string) *measure.Compiled {
	t.Helper()
	return &measure.Compiled{Rustc: rustc(t), Crate: func(c *model.Crate) (measure.Crate, error) {
		return measure.Crate{Files: map[string][]byte{lib: []byte(text)}, Root: lib, Name: c.Name}, nil
	}}
}

var options = measure.Options{Mutants: 60, Jobs: 2}

// subjects are the functions of a change that have a contract.
func subjects(t testing.TB, base, head string) (*pair.Pairs, []*measure.Subject) {
	t.Helper()
	bm, hm := index(t, base), index(t, head)
	p := pair.New(bm, hm)
	bw, hw := world(bm), world(hm)
	var out []*measure.Subject
	side := func(w *eval.World, f *model.Function) *measure.Side {
		if f == nil || f.Mode != model.Exec || !f.HasBody || !slices.ContainsFunc(f.Contract(), func(c model.Clause) bool { return c.Kind == syntax.Ensures || c.Kind == syntax.Returns }) {
			return nil
		}
		return &measure.Side{Function: f, Func: w.Func(f.Node)}
	}
	for _, f := range p.Functions {
		s := &measure.Subject{Pair: f, Base: side(bw, f.Base), Head: side(hw, f.Head), Same: f.Base != nil && f.Head != nil && !f.What.Has(pair.Executable)}
		s.Unchanged = s.Same && !f.What.Has(pair.Contract) && !f.What.Has(pair.GhostRefs)
		if s.Base == nil && s.Head == nil {
			continue
		}
		if f.Head != nil {
			s.Symbol = f.Head.Symbol
		} else {
			s.Symbol = f.Base.Symbol
		}
		out = append(out, s)
	}
	return p, out
}

// run measures a change.
func run(t testing.TB, base, head string, o measure.Options, ss []*measure.Subject) []*measure.Result {
	t.Helper()
	got, err := measure.Measure(context.Background(), measure.Request{Subjects: ss, Options: o, Base: compiled(t, base).Run, Head: compiled(t, head).Run})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func read(t testing.TB, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// show is a side in a line.
func show(m *checks.Measured) string {
	switch {
	case m == nil:
		return "none"
	case m.NotApplicable != "":
		return "not applicable: " + m.NotApplicable
	case m.Unmeasured != "":
		return "unmeasured: " + m.Unmeasured
	case m.Void != "":
		return "void: " + m.Void
	case m.Refuted != nil:
		return fmt.Sprintf("refuted: %s is %s (%s)", m.Refuted.Call, m.Refuted.Result, m.Refuted.Clause)
	}
	s := m.Suite
	all := s.All()
	text := fmt.Sprintf("%d inputs, %d rejected, %d escaped, %d undecided; %d of %d mutants differ, %d killed, %d survive, %d undecided", s.Inputs, all.Rejected, all.Escaped,
		all.Undecided, s.Fates.Differing, s.Fates.Generated, s.Fates.Killed, s.Fates.Survived, s.Fates.Undecided)
	for _, e := range s.Escapes[:min(1, len(s.Escapes))] {
		text += fmt.Sprintf("; %s is %s, not %s", e.Call, e.Result, e.Wrong)
	}
	return text
}

// key tells arguments apart.
func key(args []value.Value) string {
	var b []byte
	for _, v := range args {
		b, _ = value.AppendKey(b, v)
		b = append(b, '|')
	}
	return string(b)
}

// observedCases are the results in a file of cases that a function gave, by arguments.
func observedCases(t testing.TB, file string, q *eval.Questions) map[string]spectest.Observed {
	t.Helper()
	var truth struct{ Cases []struct{ Origin string } }
	if err := json.Unmarshal([]byte(read(t, file)), &truth); err != nil {
		t.Fatal(err)
	}
	out := map[string]spectest.Observed{}
	for i, c := range truth.Cases {
		if c.Origin != "observed" {
			continue
		}
		k, why, err := q.Case(i)
		if err != nil || why != "" {
			continue
		}
		out[key(k.Args)] = spectest.Observed{Result: k.Result, After: k.After}
	}
	return out
}
