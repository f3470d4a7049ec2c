package measure_test

import (
	"context"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/registry"
	"github.com/specgate/specgate/checks/registry/registrytest"
	"github.com/specgate/specgate/internal/goldentest"
	"github.com/specgate/specgate/internal/measure"
	"github.com/specgate/specgate/internal/pair"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	goldentest.Compare(t, filepath.Join("testdata", name), got, *update)
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
	registrytest.Severities(t, suiteRules(), fs)
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
					registrytest.Annotation(t, "../../checks/registry/testdata/annotations", *update, registry.Rules(), r.ID, fs)
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
	want := []string{"notice strength/unmeasured How much the contract rules out is not known, and it may be little: 216 of 256 spectests are undecided, so that its strength may be anything from 0.15 on, " +
		"and the policy wants 0.80."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestWhoseDoing tells findings that a change is to blame for from what was there before it, and where they point.
func TestWhoseDoing(t *testing.T) {
	const (
		grow = "pub fn grow(x: u32) -> (r: u32)\n    requires\n        x < 100,\n    ensures\n        x < 100,\n        r > x,\n{\n    x + 1\n}"
		min  = "pub fn min(a: u32, b: u32) -> (r: u32)\n    ensures\n        r <= a,\n        r <= b,\n{\n    if a <= b {\n        b\n    } else {\n        a\n    }\n}"
	)
	edited := func(text, old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("there is no %q", old)
		}
		return strings.ReplaceAll(text, old, new)
	}
	many := func(in *checks.StrengthInput) { in.MinSuite = 10_000 }
	for _, c := range []struct {
		name, base, head string
		edit             func(*checks.StrengthInput)
		want             []string
	}{
		{"proof-only edit", grow, edited(grow, "    x + 1", "    assert(x < 1000000 || x < 2000000);\n    x + 1"), nil, nil},
		{"renamed", grow, edited(grow, "grow", "grew"), nil, nil},
		{"moved", grow, "pub mod inner {\nuse vstd::prelude::*;\n" + grow + "\n}", nil, nil},
		{"another order of the promises", grow, edited(grow, "        x < 100,\n        r > x,", "        r > x,\n        x < 100,"), nil, nil},
		{"new", "", grow, nil, []string{"10:9 warning strength/mutant-survives grow", "10:9 error strength/weak grow"}},
		{"stronger", grow, edited(grow, "r > x", "r > x, r <= x + 3"), nil, []string{"10:16 warning strength/mutant-survives grow", "10:16 warning strength/weak grow"}},
		{"weaker", edited(grow, "r > x", "r == x + 1"), grow, nil,
			[]string{"10:9 error strength/dropped grow", "10:9 warning strength/mutant-survives grow", "10:9 error strength/weak grow"}},
		{"weaker, and little decided", edited(grow, "r > x", "r == x + 1"), grow, many,
			[]string{"10:9 notice strength/dropped grow", "10:9 warning strength/mutant-survives grow", "10:9 notice strength/unmeasured grow", "10:9 warning strength/weak grow"}},
		{"other code", grow, edited(grow, "    x + 1", "    1 + x"), nil, []string{"10:9 warning strength/mutant-survives grow", "10:9 error strength/weak grow"}},
		{"broken before", min, edited(min, "    if", "    assert(a < 9 || a >= 9);\n    if"), nil, []string{"7:9 warning strength/refuted min"}},
		{"broken now", edited(min, "a <= b", "b <= a"), min, nil, []string{"7:9 error strength/refuted min"}},
		{"broken and new", "", min, nil, []string{"7:9 error strength/refuted min"}},
	} {
		var got []string
		for _, f := range findings(t, wrapped(c.base), wrapped(c.head), c.edit) {
			if strings.HasPrefix(f.Rule, "strength/") {
				got = append(got, f.Span.Start.String()+" "+f.Severity.String()+" "+f.Rule+" "+f.Symbol)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
