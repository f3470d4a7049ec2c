package proof_test

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/proof"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

// one is a tree of one file.
type one struct {
	path string
	file *syntax.File
}

func (o one) Paths() []string { return []string{o.path} }

func (o one) Read(path string) ([]byte, error) {
	if path != o.path {
		return nil, fmt.Errorf("read %s: %w", path, fs.ErrNotExist)
	}
	return o.file.Source.Text, nil
}

func (o one) Parse(path string) (*syntax.File, error) {
	if _, err := o.Read(path); err != nil {
		return nil, err
	}
	return o.file, nil
}

func (o one) Mentions(...string) []string { return nil }

func index(t *testing.T, path, text string) *model.Model {
	t.Helper()
	var load []string
	if strings.HasSuffix(path, ".rs") {
		load = []string{path}
	}
	m, err := model.New(context.Background(), one{path, syntax.Parse(source.NewFile(path, []byte(text)))}, load)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// said is what a verifier says of one side: verdicts by symbol, and problems.
type said struct {
	verdicts map[string]checks.ProofVerdict
	problems []checks.ProofProblem
}

func (s said) run(m *model.Model) *checks.ProofRun {
	out := &checks.ProofRun{Problems: s.problems, Functions: map[*model.Function]*checks.ProofVerdict{}}
	for _, f := range m.Functions {
		v, ok := s.verdicts[f.Symbol]
		if !ok {
			v = checks.ProofVerdict{Outcome: checks.ProofProved, Cost: 1000}
		}
		for i := range v.Failures {
			v.Failures[i].File, v.Failures[i].Span = f.File.Syntax.Source, f.NameSpan
		}
		out.Functions[f] = &v
	}
	return out
}

func fails(symbol, category string) said {
	return said{verdicts: map[string]checks.ProofVerdict{symbol: {Outcome: checks.ProofFailed, Reason: "it failed",
		Failures: []checks.ProofFailure{{Category: category, Message: "it failed", Clause: "r == x + 1", Key: "r == x + 1"}}}}}
}

// twice has each failure two times.
func twice(s said) said {
	for symbol, v := range s.verdicts {
		v.Failures = append(v.Failures, v.Failures...)
		s.verdicts[symbol] = v
	}
	return s
}

// seeded tells how often the functions were proved with other seeds.
func seeded(s said, tried, proved int) said {
	for symbol, v := range s.verdicts {
		v.Seeds = &checks.SeedRuns{Tried: tried, Proved: proved}
		s.verdicts[symbol] = v
	}
	return s
}

func costs(symbol string, cost int64) said {
	return said{verdicts: map[string]checks.ProofVerdict{symbol: {Outcome: checks.ProofProved, Cost: cost}}}
}

func problem(kind checks.ProofProblemKind, file string) said {
	return said{problems: []checks.ProofProblem{{Kind: kind, Target: "demo", File: file, Text: "something happened"}}}
}

// Examples says what the verifier says of the examples of each rule: base and head of the one that fires, and of the quiet one.
var examples = map[string][4]said{
	"proof/failed":           {{}, fails("add_one", "postcondition"), fails("add_one", "postcondition"), {}},
	"proof/timeout":          {{}, fails("hard", "rlimit"), {}, fails("add_one", "postcondition")},
	"proof/internal-error":   {{}, problem(checks.ProblemInternal, "src/lib.rs"), {}, fails("add_one", "postcondition")},
	"proof/not-run":          {{}, problem(checks.ProblemNotRun, "Cargo.toml"), problem(checks.ProblemNotRun, "Cargo.toml"), {}},
	"proof/nothing-verified": {{}, problem(checks.ProblemNothingVerified, "src/lib.rs"), problem(checks.ProblemNothingVerified, "src/lib.rs"), {}},
	"proof/not-all-verified": {{}, problem(checks.ProblemNotAllVerified, "Cargo.toml"), problem(checks.ProblemNotAllVerified, "Cargo.toml"), {}},
	"proof/regressed":        {{}, fails("add_one", "postcondition"), fails("add_one", "postcondition"), fails("add_one", "postcondition")},
	"proof/fixed":            {fails("add_one", "postcondition"), {}, {}, {}},
	"proof/cost-grew":        {costs("cube", 2_000_000), costs("cube", 9_000_000), costs("cube", 9_000_000), costs("cube", 2_000_000)},
	"proof/knob":             {},
}

// TestExamples runs the two examples of each rule.
func TestExamples(t *testing.T) {
	for _, r := range proof.Rules() {
		answers, ok := examples[r.ID]
		if !ok {
			t.Errorf("%s: nobody says what the verifier says of its examples", r.ID)
			continue
		}
		for i, e := range []checks.Example{r.Fires, r.Quiet} {
			path := e.File
			if path == "" {
				path = "src/lib.rs"
			}
			base, head := index(t, path, e.Base), index(t, path, e.Head)
			in := &checks.Input{Pairs: pair.New(base, head), Proof: &checks.ProofInput{Base: answers[2*i].run(base), Head: answers[2*i+1].run(head), Comparable: true}}
			found, err := checks.Run(context.Background(), []*checks.Rule{r}, in)
			if err != nil {
				t.Fatal(err)
			}
			var at []string
			for _, f := range found {
				at = append(at, f.Symbol)
			}
			var want []string
			if e.Symbol != "" {
				want = []string{e.Symbol}
			}
			if diff := cmp.Diff(want, at); diff != "" || (i == 0) != (e.Symbol != "") {
				t.Errorf("%s: example %d: %s", r.ID, i, diff)
			}
		}
	}
}

// TestRules checks messages, and the cases around the examples.
func TestRules(t *testing.T) {
	const text = "use vstd::prelude::*;\n\nverus! {\n\nfn f(x: u32) -> u32 {\n    x\n}\n\n} // verus!\n"
	const edited = "use vstd::prelude::*;\n\nverus! {\n\nfn f(x: u32) -> u32 {\n    x / 1\n}\n\n} // verus!\n"
	outcome := func(o checks.ProofOutcome) said {
		return said{verdicts: map[string]checks.ProofVerdict{"f": {Outcome: o, Reason: "some reason"}}}
	}
	for _, c := range []struct {
		name       string
		head       string
		base, on   said
		noBase     bool
		comparable bool
		want       []string
	}{
		{name: "proved", head: text},
		{name: "failed as before", head: text, base: fails("f", "assertion"), on: fails("f", "assertion"),
			want: []string{"proof/failed f 5:4 warning: The assertion `r == x + 1` is not proved. / The verifier says: it failed. / Base fails in the same way, and the change does not touch this function."}},
		{name: "failed as before, in a function that was edited", head: edited, base: fails("f", "assertion"), on: fails("f", "assertion"),
			want: []string{"proof/failed f 5:4: The assertion `r == x + 1` is not proved. / The verifier says: it failed. / Base fails in the same way."}},
		{name: "failed as before, before any proof", head: text, base: fails("f", "compile"), on: fails("f", "compile"),
			want: []string{"proof/failed f 5:4: The code does not compile at `r == x + 1`. / The verifier says: it failed. / Base fails in the same way."}},
		{name: "failed once more than before", head: text, base: fails("f", "assertion"), on: twice(fails("f", "assertion")),
			want: []string{"proof/failed f 5:4 warning: The assertion `r == x + 1` is not proved. / The verifier says: it failed. / Base fails in the same way, and the change does not touch this function.",
				"proof/failed f 5:4: The assertion `r == x + 1` is not proved. / The verifier says: it failed."}},
		{name: "unstable", head: edited, noBase: true, on: seeded(fails("f", "assertion"), 2, 1),
			want: []string{"proof/failed f 5:4: The assertion `r == x + 1` is not proved. / The verifier says: it failed. / The proof is unstable: with other seeds of the solver it is found in 1 of 2 runs."}},
		{name: "unstable without an edit", head: text, on: seeded(fails("f", "assertion"), 1, 1), want: []string{
			"proof/failed f 5:4: The assertion `r == x + 1` is not proved. / The verifier says: it failed. / The proof is unstable: with other seeds of the solver it is found in 1 of 1 run.",
			"proof/regressed f 5:4: It was proved in base and is not now: it failed. / The function itself did not change: something that it rests on did, or the search for its proof is unstable. / The proof is unstable: with other seeds of the solver it is found in 1 of 1 run."}},
		{name: "not unstable", head: edited, noBase: true, on: seeded(fails("f", "assertion"), 1, 0),
			want: []string{"proof/failed f 5:4: The assertion `r == x + 1` is not proved. / The verifier says: it failed. / It is not proved with 1 other seed of the solver either."}},
		{name: "failed in another way", head: text, base: fails("f", "assertion"), on: fails("f", "invariant"),
			want: []string{"proof/failed f 5:4: The loop invariant `r == x + 1` is not proved. / The verifier says: it failed."}},
		{name: "regressed without an edit", head: text, on: fails("f", "assertion"), want: []string{
			"proof/failed f 5:4: The assertion `r == x + 1` is not proved. / The verifier says: it failed.",
			"proof/regressed f 5:4: It was proved in base and is not now: it failed. / The function itself did not change: something that it rests on did, or the search for its proof is unstable."}},
		{name: "regressed by an edit", head: edited, on: fails("f", "rlimit"), want: []string{
			"proof/regressed f 5:4: It was proved in base and is not now: it failed.",
			"proof/timeout f 5:4: The solver reached its resource limit before it found a proof (r == x + 1). / The verifier says: it failed."}},
		{name: "without base", head: text, noBase: true, on: fails("f", "assertion"), want: []string{"proof/failed f 5:4: The assertion `r == x + 1` is not proved. / The verifier says: it failed."}},
		{name: "base was not run", head: text, base: outcome(checks.ProofNotRun), on: fails("f", "assertion"), want: []string{"proof/failed f 5:4: The assertion `r == x + 1` is not proved. / The verifier says: it failed."}},
		{name: "no longer run", head: text, on: outcome(checks.ProofNotRun), want: []string{"proof/not-all-verified f 5:4: The verifier did not look at this function: some reason."}},
		{name: "no longer run, which is explained", head: text, on: said{verdicts: outcome(checks.ProofNotRun).verdicts, problems: []checks.ProofProblem{{Kind: checks.ProblemTimedOut, File: "src/lib.rs", Text: "the time is over"}}},
			want: []string{"proof/timeout src/lib.rs 1:1: The time is over."}},
		{name: "fixed", head: text, base: outcome(checks.ProofTimedOut), want: []string{"proof/fixed f 5:4: It was not proved in base and is now; the verifier said of base: some reason."}},
		{name: "nothing to prove before", head: text, base: outcome(checks.ProofSkipped)},
		{name: "dearer", head: text, base: costs("f", 2_000_000), on: costs("f", 4_000_000), comparable: true,
			want: []string{"proof/cost-grew f 5:4: Its proof costs the solver 2.0 times as much as in base. / Resource count: 2000000 in base, 4000000 now; the limit of a function is 10 units of 3000000 unless it is set."}},
		{name: "dearer, in another release", head: text, base: costs("f", 2_000_000), on: costs("f", 4_000_000)},
		{name: "dearer, and still cheap", head: text, base: costs("f", 1_300), on: costs("f", 15_000), comparable: true},
		{name: "less than twice", head: text, base: costs("f", 4_000_000), on: costs("f", 7_900_000), comparable: true},
		{name: "cost not known", head: text, base: costs("f", 0), on: costs("f", 7_900_000), comparable: true},
		{name: "message only", head: text, on: said{verdicts: map[string]checks.ProofVerdict{"f": {Outcome: checks.ProofFailed, Reason: "x", Failures: []checks.ProofFailure{{Category: "other", Message: "a\nb " + strings.Repeat("é", 200)}}}}}, noBase: true,
			want: []string{"proof/failed f 5:4: The verifier reports: a b " + strings.Repeat("é", 148) + "... / The verifier says: a b " + strings.Repeat("é", 148) + "..."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, head := index(t, "src/lib.rs", text), index(t, "src/lib.rs", c.head)
			in := &checks.ProofInput{Head: c.on.run(head), Comparable: c.comparable}
			if !c.noBase {
				in.Base = c.base.run(base)
			}
			found, err := checks.Run(context.Background(), proof.Rules(), &checks.Input{Pairs: pair.New(base, head), Proof: in})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				severity := ""
				for _, r := range proof.Rules() {
					if r.ID == f.Rule && r.Severity != f.Severity {
						severity = " " + f.Severity.String()
					}
				}
				s := fmt.Sprintf("%s %s %s%s: %s", f.Rule, f.Symbol, f.Span.Start, severity, f.Message)
				if f.Detail != "" {
					s += " / " + strings.ReplaceAll(f.Detail, "\n", " / ")
				}
				got = append(got, s)
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKnob(t *testing.T) {
	rule := proof.Knob()
	text := func(attrs string) string {
		return "use vstd::prelude::*;\n\nverus! {\n\n" + attrs + "fn f(x: u32) -> u32 {\n    x\n}\n\n} // verus!\n"
	}
	for _, c := range []struct{ base, head, want string }{
		{"", "", ""},
		{"#[verifier::rlimit(10)]\n", "#[verifier::rlimit(10)]\n", ""},
		{"#[verifier::rlimit(10)]\n", "#[verifier::rlimit(20)]\n", "Its proof is now searched for without rlimit(10) and with rlimit(20)."},
		{"#[verifier::spinoff_prover]\n", "", "Its proof is now searched for without spinoff_prover."},
		{"", "#[verifier::loop_isolation(false)]\n", "Its proof is now searched for with loop_isolation(false)."},
	} {
		found, err := checks.Run(context.Background(), []*checks.Rule{rule}, &checks.Input{Pairs: pair.New(index(t, "src/lib.rs", text(c.base)), index(t, "src/lib.rs", text(c.head)))})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range found {
			got += f.Message
		}
		if got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.base, c.head, got, c.want)
		}
	}
}

// TestData checks the data of the rules.
func TestData(t *testing.T) {
	byID := map[string]*checks.Rule{}
	for _, r := range proof.Rules() {
		if byID[r.ID] != nil {
			t.Errorf("%s: twice", r.ID)
		}
		byID[r.ID] = r
	}
	for id, r := range byID {
		if !strings.HasPrefix(id, "proof/") || r.Family != checks.Proof || r.Run == nil || r.Needs == 0 || r.Severity == 0 {
			t.Errorf("%s: incomplete", id)
		}
		for _, text := range []string{r.Purpose, r.Why, r.Remedy} {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: no sentence: %q", id, text)
			}
		}
		if (r.Mirror == "") == (r.NoMirror == "") || r.Mirror != "" && byID[r.Mirror] == nil {
			t.Errorf("%s: mirror %q, no mirror %q", id, r.Mirror, r.NoMirror)
		}
	}
}
