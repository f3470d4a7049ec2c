package eval

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// texts is a tree of files.
type texts map[string]string

func (t texts) Paths() []string {
	var out []string
	for p := range t {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

func (t texts) Read(path string) ([]byte, error) {
	text, ok := t[path]
	if !ok {
		return nil, fmt.Errorf("read %s: %w", path, os.ErrNotExist)
	}
	return []byte(text), nil
}

func (t texts) Parse(path string) (*syntax.File, error) {
	b, err := t.Read(path)
	if err != nil {
		return nil, err
	}
	return syntax.Parse(source.NewFile(path, b)), nil
}

func (t texts) Mentions(...string) []string { return t.Paths() }

// fromModel is how a World is made of the files that a model has read.
func fromModel(m *model.Model) *World {
	var sources []Source
	for _, f := range m.Files {
		sources = append(sources, Source{File: f.Syntax, Crate: f.Crate.Name, Module: f.Module})
	}
	return NewWorld(sources)
}

// Functions of a model are compared by their syntax, and names reach across the modules of the crate.
func TestFromModel(t *testing.T) {
	build := func(limit string) *model.Model {
		m, err := model.New(context.Background(), texts{
			"Cargo.toml":         "[package]\nname = \"demo\"\nversion = \"0.1.0\"\n",
			"src/lib.rs":         "pub mod spec;\npub mod code;\n",
			"src/spec/mod.rs":    "pub mod bounds;\npub use bounds::*;\n",
			"src/spec/bounds.rs": "use vstd::prelude::*;\nverus! {\npub open spec fn small(x: u64) -> bool { x < " + limit + " }\n}\n",
			"src/code.rs":        "use vstd::prelude::*;\nuse crate::spec::small;\nverus! {\npub fn keep(x: u64) -> (r: u64)\n    ensures\n        small(x) ==> small(r),\n{ x }\n}\n",
		}, []string{"src/lib.rs", "src/spec/mod.rs", "src/spec/bounds.rs", "src/code.rs"})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	base, head := build("10"), build("12")
	side := func(m *model.Model) *Func {
		for _, f := range m.Functions {
			if f.Symbol == "code::keep" {
				return fromModel(m).Func(f.Node)
			}
		}
		t.Fatal("no code::keep in the model")
		return nil
	}
	c, err := Compare(side(base), side(head), 0)
	if err != nil {
		t.Fatal(err)
	}
	want := "accepted keep(0) gives r = 10\nrefused keep(10) gives r = 12\n"
	if got := report(c); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
