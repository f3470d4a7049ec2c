package proof_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/proof"
	"github.com/specgate/specgate/checks/registry/registrytest"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

var update = flag.Bool("update", false, "write what is posted about the examples of the rules")

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

// said is what a verifier says of one side: verdicts by symbol, problems, and which questions about which symbols it answers with proved.
type said struct {
	verdicts map[string]checks.ProofVerdict
	problems []checks.ProofProblem
	shown    map[string][]obligation.Question
	void     bool // the answers do not count
}

// shows is a verifier that proves all functions, and what some questions ask about one.
func shows(symbol string, questions ...obligation.Question) said {
	return said{shown: map[string][]obligation.Question{symbol: questions}}
}

// answers to questions about a side.
func (s said) answers(m *model.Model) []obligation.Answer {
	var out []obligation.Answer
	for _, f := range m.Functions {
		for _, q := range s.shown[f.Symbol] {
			verdict := obligation.Proved
			if s.void {
				verdict = obligation.Void
			}
			out = append(out, obligation.Answer{Obligation: &obligation.Obligation{Question: q, Function: f}, Verdict: verdict})
		}
	}
	return out
}

// proofs is what the verifier says of both sides.
func proofs(base *model.Model, onBase said, head *model.Model, onHead said) *checks.ProofInput {
	return &checks.ProofInput{Base: onBase.run(base), Head: onHead.run(head),
		Asked: checks.NewAsked(append(onBase.answers(base), onHead.answers(head)...), nil, "")}
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
	"proof/failed":               {{}, fails("add_one", "postcondition"), fails("add_one", "postcondition"), {}},
	"proof/timeout":              {{}, fails("hard", "rlimit"), {}, fails("add_one", "postcondition")},
	"proof/internal-error":       {{}, problem(checks.ProblemInternal, "src/lib.rs"), {}, fails("add_one", "postcondition")},
	"proof/not-run":              {{}, problem(checks.ProblemNotRun, "Cargo.toml"), problem(checks.ProblemNotRun, "Cargo.toml"), {}},
	"proof/nothing-verified":     {{}, problem(checks.ProblemNothingVerified, "src/lib.rs"), problem(checks.ProblemNothingVerified, "src/lib.rs"), {}},
	"proof/not-all-verified":     {{}, problem(checks.ProblemNotAllVerified, "Cargo.toml"), problem(checks.ProblemNotAllVerified, "Cargo.toml"), {}},
	"proof/own-word":             {},
	"proof/regressed":            {{}, fails("add_one", "postcondition"), fails("add_one", "postcondition"), fails("add_one", "postcondition")},
	"proof/fixed":                {fails("add_one", "postcondition"), {}, {}, {}},
	"proof/cost-grew":            {costs("cube", 2_000_000), costs("cube", 9_000_000), costs("cube", 9_000_000), costs("cube", 2_000_000)},
	"proof/inconsistent-context": {{}, shows("add_one", obligation.InconsistentContext), {}, shows("serve")},
	"proof/knob":                 {},
}

// posted is what a verifier says, in its own words, of the examples whose annotations are in the documents.
var posted = map[string]said{
	"proof/failed":           inWords("add_one", "postcondition", "postcondition not satisfied", "r == x + 1"),
	"proof/timeout":          inWords("hard", "rlimit", "function body check: Resource limit (rlimit) exceeded", "hard"),
	"proof/regressed":        inWords("add_one", "postcondition", "postcondition not satisfied", "r == x + 1"),
	"proof/internal-error":   {problems: []checks.ProofProblem{{Kind: checks.ProblemInternal, File: "src/lib.rs", Text: "the verifier was ended from outside: killed"}}},
	"proof/not-run":          {problems: []checks.ProofProblem{{Kind: checks.ProblemNotRun, File: "Cargo.toml", Text: "the Rust toolchain 1.95.0 is not installed; run: rustup toolchain install 1.95.0"}}},
	"proof/nothing-verified": {problems: []checks.ProofProblem{{Kind: checks.ProblemNothingVerified, File: "src/lib.rs", Text: "the verifier found nothing to prove in lib demo"}}},
	"proof/not-all-verified": {problems: []checks.ProofProblem{{Kind: checks.ProblemNotAllVerified, File: "Cargo.toml", Text: "the package of lib demo has not opted in to verification: its Cargo.toml lacks verify = true in [package.metadata.verus]"}}},
}

func inWords(symbol, category, message, clause string) said {
	return said{verdicts: map[string]checks.ProofVerdict{symbol: {Outcome: checks.ProofFailed, Reason: message,
		Failures: []checks.ProofFailure{{Category: category, Message: message, Clause: clause, Key: clause}}}}}
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
			in := &checks.Input{Pairs: pair.New(base, head), Proof: proofs(base, answers[2*i], head, answers[2*i+1])}
			in.Proof.Comparable = true
			if r.ID == "proof/own-word" && i == 0 {
				in.Proof.Programs = []string{path}
			}
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
			if i == 0 {
				onBase, onHead := answers[0], answers[1]
				if s, ok := posted[r.ID]; ok {
					onHead = s
				} else if r.ID == "proof/fixed" {
					onBase = posted["proof/failed"]
				}
				in.Proof.Base, in.Proof.Head = onBase.run(base), onHead.run(head)
				if found, err = checks.Run(context.Background(), []*checks.Rule{r}, in); err != nil {
					t.Fatal(err)
				}
				registrytest.Annotation(t, "../registry/testdata/annotations", *update, proof.Rules(), r.ID, found)
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
			"proof/timeout f 5:4: The solver reached its resource limit before it found a proof (r == x + 1), so that nobody knows whether it holds. / The verifier says: it failed."}},
		{name: "without base", head: text, noBase: true, on: fails("f", "assertion"), want: []string{"proof/failed f 5:4: The assertion `r == x + 1` is not proved. / The verifier says: it failed."}},
		{name: "base was not run", head: text, base: outcome(checks.ProofNotRun), on: fails("f", "assertion"), want: []string{"proof/failed f 5:4: The assertion `r == x + 1` is not proved. / The verifier says: it failed."}},
		{name: "no longer run", head: text, on: outcome(checks.ProofNotRun), want: []string{"proof/not-all-verified f 5:4: The verifier did not look at this function: some reason."}},
		{name: "no longer run, which is explained", head: text, on: said{verdicts: outcome(checks.ProofNotRun).verdicts, problems: []checks.ProofProblem{{Kind: checks.ProblemTimedOut, File: "src/lib.rs", Text: "the time is over"}}},
			want: []string{"proof/timeout src/lib.rs 1:1: The time is over."}},
		{name: "fixed", head: text, base: outcome(checks.ProofTimedOut), want: []string{"proof/fixed f 5:4: It was not proved in base and is now; the verifier said of base: some reason."}},
		{name: "nothing to prove before", head: text, base: outcome(checks.ProofSkipped)},
		{name: "dearer", head: text, base: costs("f", 2_000_000), on: costs("f", 4_000_000), comparable: true,
			want: []string{"proof/cost-grew f 5:4: Its proof costs the solver 2.0 times as much as in base. The more it costs, the sooner an edit elsewhere, or another release of the solver, makes it fail. / Resource count: 2000000 in base, 4000000 now; the limit of a function is 10 units of 3000000 unless it is set."}},
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
			registrytest.Severities(t, proof.Rules(), found)
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
		{"#[verifier::rlimit(10)]\n", "#[verifier::rlimit(20)]\n", "Its proof is now searched for without rlimit(10) and with rlimit(20). That changes how a proof is found, not what is proved."},
		{"#[verifier::spinoff_prover]\n", "", "Its proof is now searched for without spinoff_prover. That changes how a proof is found, not what is proved."},
		{"", "#[verifier::loop_isolation(false)]\n", "Its proof is now searched for with loop_isolation(false). That changes how a proof is found, not what is proved."},
		{"spec ", "#[verifier::opaque]\nspec ", "Attributes of this spec function that only steer proofs changed: it is now with opaque."},
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

// TestContexts: of which functions that changed it is asked whether their proof rests on a contradiction, and why not of others.
func TestContexts(t *testing.T) {
	for _, c := range []struct{ name, head, want string }{
		{"a new function", "fn f(x: u32) -> u32 {\n    x\n}", "f"},
		{"a new lemma", "proof fn f(x: u32)\n    ensures\n        x >= 0,\n{\n}", "f"},
		{"a spec function", "spec fn f(x: u32) -> bool {\n    true\n}", ""},
		{"a body that nobody looks at", "#[verifier::external_body]\nfn f(x: u32) -> u32 {\n    x\n}", ""},
		{"it never returns, by its type", "fn f(x: u32) -> ! {\n    loop {\n    }\n}", "-f: it says itself that it does not return"},
		{"it never returns, by its promise", "fn f(x: u32)\n    ensures\n        false,\n{\n    loop {\n    }\n}", "-f: it says itself that it does not return"},
		{"a server", "#[verifier::exec_allows_no_decreases_clause]\nfn f(x: u32) {\n    loop {\n    }\n}", "-f: a loop in it has no decreases clause, so that nothing shows that it ends"},
		{"a loop that ends", "fn f(x: u32) {\n    let mut i = x;\n    while i > 0\n        decreases i,\n    {\n        i = i - 1;\n    }\n}", "f"},
		{"a for loop", "fn f(x: u32) {\n    for i in 0..x {\n    }\n}", "f"},
		{"a loop of a proof", "proof fn f(x: nat)\n    decreases x,\n{\n    if x > 0 {\n        f((x - 1) as nat);\n    }\n}", "f"},
		{"a stub", "fn f(x: u32) -> u32 {\n    unimplemented!()\n}", "-f: as it is written, it always comes to a call that does not return"},
		{"a stub behind a condition", "fn f(x: u32) -> u32 {\n    if x > 0 {\n        panic!(\"no\")\n    } else {\n        todo!()\n    }\n}", "-f: as it is written, it always comes to a call that does not return"},
		{"one way out", "fn f(x: u32) -> u32 {\n    if x > 0 {\n        panic!(\"no\")\n    } else {\n        x\n    }\n}", "f"},
		{"an early way out", "fn f(x: u32) -> u32 {\n    if x > 0 {\n        return x;\n    }\n    unreachable!()\n}", "f"},
		{"a question mark", "fn f(x: Option<u32>) -> Option<u32> {\n    let y = x?;\n    panic!()\n}", "f"},
		{"a call that never returns", "fn f(x: u32) -> u32 {\n    let y = stop(x);\n    y\n}\n\n#[verifier::external_body]\nfn stop(x: u32) -> ! {\n    panic!()\n}", "-f: as it is written, it always comes to a call that does not return"},
		{"a lemma that promises false", "fn f(x: u32) -> u32 {\n    proof {\n        absurd(x);\n    }\n    x\n}\n\n#[verifier::external_body]\nproof fn absurd(x: u32)\n    ensures\n        false,\n{\n}", "f"},
		{"every arm", "fn f(x: u32) -> u32 {\n    match x {\n        0 => panic!(),\n        _ => {\n            g(todo!())\n        },\n    }\n}", "-f: as it is written, it always comes to a call that does not return"},
		{"all but one arm", "fn f(x: u32) -> u32 {\n    match x {\n        0 => panic!(),\n        _ => x,\n    }\n}", "f"},
		{"no value", "enum Never {\n}\n\nfn f(x: Never) -> u32 {\n    match x {\n    }\n}", "-f: as it is written, it always comes to a call that does not return"},
		{"behind a lazy operator", "fn f(x: u32) -> bool {\n    x > 0 && todo!()\n}", "f"},
		{"a trait's lemma", "trait T {\n    proof fn f(x: u32);\n}\n\nimpl T for u8 {\n    proof fn f(x: u32) {\n    }\n}", "-<u8 as T>::f: it is a lemma that a trait asks for, which may have no case for this type"},
	} {
		base := index(t, "src/lib.rs", "use vstd::prelude::*;\n")
		head := index(t, "src/lib.rs", "use vstd::prelude::*;\n\nverus! {\n\n"+c.head+"\n\n} // verus!\n")
		for _, p := range head.Problems {
			t.Errorf("%s: %s", c.name, p.Text)
		}
		ask, left := proof.Contexts(&checks.Input{Pairs: pair.New(base, head), Proof: proofs(base, said{}, head, said{})})
		var got []string
		for _, f := range ask {
			got = append(got, f.Symbol)
		}
		for _, l := range left {
			got = append(got, "-"+l.Function.Symbol+": "+l.Why)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestInconsistentContext checks what is new, what belongs to another rule, and the words.
func TestInconsistentContext(t *testing.T) {
	const old = "use vstd::prelude::*;\n\nverus! {\n\nfn f(x: u32)\n    requires\n        x > 0,\n{\n}\n\n} // verus!\n"
	const edited = "use vstd::prelude::*;\n\nverus! {\n\nfn f(x: u32)\n    requires\n        x > 0,\n{\n    assume(x == 0);\n}\n\n} // verus!\n"
	const lemma = "use vstd::prelude::*;\n\nverus! {\n\nproof fn f(x: u32)\n    requires\n        x > 0,\n        odd(x),\n{\n}\n\n} // verus!\n"
	const message = "proof/inconsistent-context error: The verifier proves `false` at every exit of this body: its proof rests on a contradiction, and would go through whatever the function did and promised."
	const first = " / Its own requires may be a part of the contradiction, although they alone were not shown to exclude every call."
	reached := shows("f", obligation.InconsistentContext)
	void := reached
	void.void = true
	for _, c := range []struct {
		name, head string
		base, on   said
		want       []string
	}{
		{"no answer", edited, said{}, said{}, nil},
		{"new", edited, said{}, reached, []string{message + first + " / Believed without proof in what it rests on: `assume(x == 0)`."}},
		{"old", edited, reached, reached, nil},
		{"no call is possible", edited, said{}, shows("f", obligation.InconsistentContext, obligation.Contradictory), nil},
		{"false by itself", edited, said{}, void, []string{"proof/inconsistent-context error: The verifier proves `false` in this module from nothing but what the module believes: every proof in it would go through, whatever the functions did and promised. / Believed without proof in what it rests on: `assume(x == 0)`."}},
		{"false by itself as before", edited, void, void, nil},
		{"a lemma", lemma, said{}, reached, []string{strings.Replace(message, "error", "warning", 1) + first}},
	} {
		base, head := index(t, "src/lib.rs", old), index(t, "src/lib.rs", c.head)
		found, err := checks.Run(context.Background(), proof.Rules(), &checks.Input{Pairs: pair.New(base, head), Proof: proofs(base, c.base, head, c.on)})
		if err != nil {
			t.Fatal(err)
		}
		registrytest.Severities(t, proof.Rules(), found)
		var got []string
		for _, f := range found {
			s := fmt.Sprintf("%s %s: %s", f.Rule, f.Severity, f.Message)
			if f.Detail != "" {
				s += " / " + strings.ReplaceAll(f.Detail, "\n", " / ")
			}
			got = append(got, s)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestContextsOfCallers: a change of what is believed of a function is a change of the proofs of its callers.
func TestContextsOfCallers(t *testing.T) {
	const text = "use vstd::prelude::*;\n\nverus! {\n\n%s\nproof fn low(x: u32)\n    ensures\n        x < %s,\n{\n}\n\nfn f(x: u32) {\n    proof {\n        low(x);\n    }\n}\n\n} // verus!\n"
	for _, c := range []struct{ attr, want string }{{"#[verifier::external_body]", "f"}, {"#[verifier::rlimit(5)]", "low"}} {
		base, head := index(t, "src/lib.rs", fmt.Sprintf(text, c.attr, "7")), index(t, "src/lib.rs", fmt.Sprintf(text, c.attr, "5"))
		ask, _ := proof.Contexts(&checks.Input{Pairs: pair.New(base, head), Proof: proofs(base, said{}, head, said{})})
		var got []string
		for _, f := range ask {
			got = append(got, f.Symbol)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Error(diff)
		}
	}
}
