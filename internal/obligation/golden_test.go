package obligation_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/goldentest"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

var update = flag.Bool("update", false, "write the golden files")

// parses fails the test if a shadow has a syntax error that its file does not have.
func parses(t testing.TB, p *obligation.Plan, head map[string][]byte) {
	t.Helper()
	for _, s := range p.Skipped {
		if s.Reason == obligation.Malformed {
			t.Errorf("%s: %s: malformed", s.Function.Symbol, s.Question)
		}
	}
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
		golden(t, dir, "corpus-"+filepath.Base(dir))
	}
}

// selected are changes whose questions are particular to write, by what they show.
var selected = []string{
	"equal-new-dialect", "self-comparison-final", // &mut in both dialects
	"requires-in-attribute-style", "honest-verus-to-attribute-style",
	"spec-weakened", "spec-weakened-two-steps", "spec-strengthened-const", "spec-changed-closed", "honest-spec-moved", "honest-spec-extracted", // base's definitions
	"trait-ensures-weakened", "assume-in-trait-impl", "exec-added-in-trait-impl", "spec-changed-trait-method", "spec-changed-view", // traits
	"ensures-returns-dropped", "equal-returns-as-ensures", "ensures-result-shadowed", "honest-ghost-arguments",
	"honest-renamed-function", "honest-module-moved", "honest-files-into-impl", "honest-external-body-moved",
	"assume-spec-generic-method", "no-decreases-module", "type-field-narrowed", "equal-bound-renamed",
}

// TestForms has a form of everything that is written in its own way, that is refused, and base's definitions on their way.
func TestForms(t *testing.T) {
	for _, name := range []string{"writing", "today", "refusing", "moving"} {
		golden(t, "testdata/forms/"+name, "forms-"+name)
	}
}

// unnamed are changes whose contracts rest on what base's words do not name: nothing is asked.
var unnamed = []string{"spec-changed-operator", "spec-changed-in-macro"}

func TestSelected(t *testing.T) {
	for _, name := range slices.Concat(selected, unnamed) {
		golden(t, "../../testdata/changes/"+name, name)
	}
}

func golden(t *testing.T, dir, name string) {
	t.Run(name, func(t *testing.T) {
		base, head := side(t, dir, "base"), side(t, dir, "head")
		plan := all(pairsOf(t, base, head))
		got := show(plan, head)
		parses(t, plan, head)
		path := filepath.Join("testdata", "golden", name+".txt")
		goldentest.Compare(t, path, got, *update)
	})
}

// TestManyFields asks whether one result only meets a contract: all fields of a tuple struct are compared, those with two digits too.
func TestManyFields(t *testing.T) {
	m := build(t, one("verus! {\npub struct Row(u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, Vec<u8>);\npub fn row() -> (r: Row)\n    ensures\n        r.0 == 0,\n{\n    loop {}\n}\n}\n"))
	w := obligation.NewWriter(m, nil)
	w.Contract(function(t, m, "row"), obligation.Unique)
	shadow := w.Plan().Shadows[0]
	part := shadow.Parts[len(shadow.Parts)-1].Span
	_, got, _ := strings.Cut(string(shadow.Text[part.Start:part.End]), "    ensures\n")
	var want strings.Builder
	second := shadow.Prefix() + "r_2"
	for i := range 11 {
		fmt.Fprintf(&want, "        r.%d == %s.%d,\n", i, second, i)
	}
	fmt.Fprintf(&want, "        r.11@ =~= %s.11@,\n{\n}", second)
	if d := cmp.Diff(want.String(), got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// TestChanges writes every question of every sample change: what is written must parse.
func TestChanges(t *testing.T) {
	dirs, err := filepath.Glob("../../testdata/changes/*/want.txt")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no sample changes: ", err)
	}
	written := 0
	skipped := map[string]int{}
	for _, want := range dirs {
		dir := filepath.Dir(want)
		base, head := side(t, dir, "base"), side(t, dir, "head")
		plan := all(pairsOf(t, base, head))
		plan.Second(nil)
		parses(t, plan, head)
		for _, s := range plan.Shadows {
			written += len(s.Parts) - 1
		}
		for _, s := range plan.Skipped {
			skipped[s.Reason.String()]++
			if testing.Verbose() {
				t.Logf("%s: %s: %s: %s: %s", filepath.Base(dir), s.Function.Symbol, s.Question, s.Reason, s.Detail)
			}
		}
	}
	t.Logf("%d proof functions; not written: %v", written, skipped)
	if written < 1000 {
		t.Errorf("only %d proof functions were written", written)
	}
}
