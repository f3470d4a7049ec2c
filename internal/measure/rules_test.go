package measure_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/registry"
	"github.com/specgate/specgate/internal/measure"
	"github.com/specgate/specgate/internal/pair"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), written anew by -update:\n%s", file, diff)
	}
}

// suiteRules are those that need a suite.
func suiteRules() []*checks.Rule {
	var out []*checks.Rule
	for _, r := range registry.Rules() {
		if r.Needs&checks.NeedSuite != 0 {
			out = append(out, r)
		}
	}
	return out
}

// changed are the subjects that a change touches.
func changed(ss []*measure.Subject) []*measure.Subject {
	var out []*measure.Subject
	for _, s := range ss {
		if s.Pair.Change != pair.Same && s.Head != nil {
			out = append(out, s)
		}
	}
	return out
}

// findings of the rules about a change. edit may make a mistake in what was measured.
func findings(t testing.TB, base, head string, edit func(*checks.StrengthInput)) []checks.Finding {
	t.Helper()
	p, ss := subjects(t, base, head)
	in := &checks.Input{Pairs: p, Strength: &checks.StrengthInput{Min: 0.8, MinSuite: 8}}
	for _, r := range run(t, base, head, options, changed(ss)) {
		in.Strength.Functions = append(in.Strength.Functions, r.Strength())
	}
	if edit != nil {
		edit(in.Strength)
	}
	fs, err := checks.Run(context.Background(), suiteRules(), in)
	if err != nil {
		t.Fatal(err)
	}
	return fs
}

func showFindings(fs []checks.Finding) string {
	var b strings.Builder
	for _, f := range fs {
		b.WriteString(f.File + ":" + f.Span.Start.String() + ": " + f.Severity.String() + " " + f.Rule + " " + f.Symbol + " " + f.Fingerprint + "\n  " + f.Message + "\n")
		for line := range strings.Lines(f.Detail) {
			b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
		}
		if w := f.Witness; w != nil {
			b.WriteString("  witness: " + w.Input + " | " + w.Result + " | " + w.Wrong + "\n")
		}
	}
	return b.String()
}

// TestExamples runs the two examples of every rule that needs a suite.
func TestExamples(t *testing.T) {
	rules := suiteRules()
	if len(rules) < 6 {
		t.Fatalf("only %d rules need a suite", len(rules))
	}
	for _, r := range rules {
		t.Run(r.ID, func(t *testing.T) {
			for _, e := range []struct {
				name string
				checks.Example
				fires bool
			}{{"fires", r.Fires, true}, {"quiet", r.Quiet, false}} {
				var mistake func(*checks.StrengthInput)
				if r.ID == "strength/void" && e.fires {
					// No code makes specgate answer its own questions wrongly.
					mistake = func(in *checks.StrengthInput) {
						for _, s := range in.Functions {
							if s.Pair.Head.Symbol == e.Symbol {
								s.Head.Suite, s.Head.Void = nil, "a canary was answered wrongly"
							}
						}
					}
				}
				fs := findings(t, e.Base, e.Head, mistake)
				var at []string
				for _, f := range fs {
					if f.Rule == r.ID {
						at = append(at, f.Symbol)
					}
				}
				want := []string{e.Symbol}
				if !e.fires {
					want = nil
				}
				if diff := cmp.Diff(want, at); diff != "" {
					t.Errorf("%s: findings of the rule (-want +got):\n%s\nall findings:\n%s", e.name, diff, showFindings(fs))
				}
				if e.fires {
					golden(t, filepath.Join("examples", filepath.FromSlash(r.ID)+".txt"), showFindings(fs))
				}
			}
		})
	}
}

// TestHidden: a contract that nobody can decide but for a few inputs is not as strong as what it says of those.
func TestHidden(t *testing.T) {
	const hidden = "pub fn hidden(x: u8) -> (r: u8)\n    requires\n        x < 100,\n    ensures\n        x < 5 ==> r == x + 1,\n        x >= 5 ==> r == x + 1 || arbitrary::<bool>(),\n{\n    x + 1\n}"
	fs := findings(t, wrapped(""), wrapped(hidden), nil)
	var got []string
	for _, f := range fs {
		got = append(got, f.Severity.String()+" "+f.Rule+" "+f.Message)
	}
	want := []string{"notice strength/unmeasured How much the contract rules out is not known: 216 of 256 spectests are undecided, so that its strength may be anything from 0.15 on, " +
		"and the policy wants 0.80."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
