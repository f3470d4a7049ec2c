package obligation_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

var update = flag.Bool("update", false, "write the golden files")

// parses fails the test if a shadow has a syntax error that its file does not have.
func parses(t testing.TB, p *obligation.Plan, head map[string][]byte) {
	t.Helper()
	for _, s := range p.Shadows {
		if errs := syntax.Parse(source.NewFile(s.File, head[s.File])).Errors; len(errs) > 0 {
			continue
		}
		f := syntax.Parse(source.NewFile(s.File, s.Text))
		for _, e := range f.Errors {
			t.Errorf("%s:%s: %s\n%s", s.File, f.Source.Position(e.Span.Start), e.Message, s.Text)
		}
		for _, part := range s.Parts {
			if text := string(s.Text[part.Span.Start:part.Span.End]); !strings.Contains(text, part.Name+"(") && !strings.Contains(text, part.Name+"<") {
				t.Errorf("the span of %s is %q", part.Name, text)
			}
		}
	}
}

func TestCorpus(t *testing.T) {
	dirs, err := filepath.Glob("../../testdata/corpus/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no sample changes: ", err)
	}
	for _, dir := range dirs {
		golden(t, dir, "corpus-"+filepath.Base(dir), obligation.Bare)
	}
}

// The changes that are in a golden: a selection for what is particular about writing them.
var selected = map[string]obligation.Dialect{}

func golden(t *testing.T, dir, name string, d obligation.Dialect) {
	t.Run(name, func(t *testing.T) {
		base, head := side(t, dir, "base"), side(t, dir, "head")
		plan := all(pairsOf(t, base, head), d)
		got := show(plan, head)
		parses(t, plan, head)
		path := filepath.Join("testdata", "golden", name+".txt")
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}
