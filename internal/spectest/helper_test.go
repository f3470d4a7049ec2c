package spectest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/goldentest"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
	"github.com/specgate/specgate/internal/value"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	goldentest.Compare(t, filepath.Join("testdata", name), got, *update)
}

// worldOf reads a text as a crate of its own.
func worldOf(t testing.TB, text string) *eval.World {
	t.Helper()
	f := syntax.Parse(source.NewFile("t.rs", []byte(text)))
	for _, e := range f.Errors {
		t.Fatalf("%s\n%s", text, e.Message)
	}
	return eval.NewWorld([]eval.Source{{File: f, Crate: "test"}})
}

func target(t testing.TB, w *eval.World, symbol string) (*Target, error) {
	t.Helper()
	fs := w.Find("test", symbol)
	if len(fs) != 1 {
		t.Fatalf("%d functions are called %s", len(fs), symbol)
	}
	return NewTarget(fs[0], nil, symbol)
}

// targetOf reads items with a function f and makes its target.
func targetOf(t testing.TB, items string) *Target {
	t.Helper()
	tg, err := target(t, worldOf(t, "use vstd::prelude::*; verus! { "+items+" }"), "f")
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

func values(vs []value.Value) string {
	var parts []string
	for _, v := range vs {
		if v == nil {
			parts = append(parts, "-")
			continue
		}
		parts = append(parts, value.Short(v))
	}
	return strings.Join(parts, "; ")
}

// sample is a function with cases that the verifier judged; see internal/eval's tests.
type sample struct {
	Function string
	Params   [][2]string
	Cases    []truthCase
	dir      string
}

type truthCase struct {
	Args, After          map[string]string
	Result               string
	Origin, Strong, Weak string
}

func samples(t testing.TB) []sample {
	t.Helper()
	paths, err := filepath.Glob("../eval/testdata/functions/*/truth.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no functions found", err)
	}
	var out []sample
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		var tr sample
		if err := json.Unmarshal(text, &tr); err != nil {
			t.Fatal(p, err)
		}
		tr.dir = filepath.Dir(p)
		out = append(out, tr)
	}
	return out
}

// target of one side of a function; the error is that of NewTarget.
func (tr sample) target(t testing.TB, side string) (*Target, error) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tr.dir, side+".rs"))
	if err != nil {
		t.Fatal(err)
	}
	return target(t, worldOf(t, string(text)), tr.Function)
}

// read gives a case as values.
func (c truthCase) read(tg *Target) (Input, Observed, error) {
	in := Input{Args: make([]value.Value, len(tg.params)), Origin: Small}
	out := Observed{After: make([]value.Value, len(tg.params))}
	for i, p := range tg.params {
		var err error
		if in.Args[i], err = tg.judge.Value(c.Args[p.Name], p.Type); err != nil {
			return in, out, fmt.Errorf("argument %s: %w", p.Name, err)
		}
		if p.Mut {
			if out.After[i], err = tg.judge.Value(c.After[p.Name], p.Type); err != nil {
				return in, out, fmt.Errorf("%s after the call: %w", p.Name, err)
			}
		}
	}
	var err error
	if out.Result, err = tg.judge.Value(c.Result, tg.result); err != nil {
		return in, out, fmt.Errorf("result: %w", err)
	}
	return in, out, nil
}
