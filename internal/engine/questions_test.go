package engine_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/registry"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/goldentest"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/verus"
	"github.com/specgate/specgate/internal/verus/verustest"
)

// release of the verifier that made the recordings.
const release = "0.2025.06.23.283b036"

// asked checks the change of one file with a verifier that answers from a directory of recordings or, with -record, with the one of this machine, whose
// answers are kept there.
func asked(t *testing.T, base, head, recordings string, only ...checks.Family) *checks.Report {
	t.Helper()
	r := newRepo(t)
	for _, text := range []string{base, head} {
		r.write("src/lib.rs", text)
		r.commit("change")
	}
	o := r.options()
	o.Only = only
	var v *verus.Verifier
	recorder := &verustest.Recorder{}
	replay := verustest.NewReplay(t)
	if *record {
		if v = verustest.Real(t, recorder); v.Version.Release != release {
			t.Fatalf("the verifier is %s, and the recordings are of %s", v.Version.Release, release)
		}
	} else {
		replay.AddKeyed(recordings)
		v = verustest.Installed(release, replay)
	}
	o.Verifier = func(context.Context, string) (*verus.Verifier, error) { return v, nil }
	report := check(t, o).Report
	if *record {
		if err := recorder.WriteAll(recordings, v); err != nil {
			t.Fatal(err)
		}
	} else if l := replay.Unused(); len(l) > 0 {
		t.Errorf("recordings that nothing asked for: %q", l)
	}
	return report
}

func texts(t *testing.T, dir string) (base, head string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "base.rs"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := os.ReadFile(filepath.Join(dir, "head.rs"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b), string(h)
}

// summary is what a report says of contracts, and its findings.
func summary(r *checks.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "outcome %s\n", r.Outcome)
	for _, x := range r.Reasons {
		fmt.Fprintf(&b, "reason %s: %s\n", x.Stage, x.Text)
	}
	for _, f := range r.Functions {
		if f.Contract.Direction == "none" && f.Contract.Unique == nil {
			continue
		}
		fmt.Fprintf(&b, "%s: %s by %s", f.Symbol, f.Contract.Direction, f.Contract.By)
		for _, q := range f.Contract.Undecided {
			fmt.Fprintf(&b, ", %s: %s", q.Question, q.Why)
		}
		if u := f.Contract.Unique; u != nil {
			fmt.Fprintf(&b, ", unique %t", *u)
		}
		b.WriteString("\n")
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %s %s: %s\n", f.Severity, f.Rule, f.Symbol, f.Message)
		if f.Detail != "" {
			fmt.Fprintf(&b, "    %s\n", strings.ReplaceAll(f.Detail, "\n", "\n    "))
		}
	}
	return b.String()
}

// TestQuestions judges changes about which only the verifier knows, and honest ones beside them: each with its answers, and without.
func TestQuestions(t *testing.T) {
	dirs, err := filepath.Glob("testdata/questions/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no changes: ", err)
	}
	ran, byProof := 0, 0
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			base, head := texts(t, dir)
			r := newRepo(t)
			for _, text := range []string{base, head} {
				r.write("src/lib.rs", text)
				r.commit("change")
			}
			o := r.options()
			o.Only = []checks.Family{checks.Contract}
			without := check(t, o).Report
			with := asked(t, base, head, dir, checks.Contract, checks.Proof)
			ran++
			for i, f := range with.Functions {
				if f.Contract.By != "proof" {
					continue
				}
				byProof++
				if w := without.Functions[i].Contract; len(w.Undecided) == 0 {
					t.Errorf("%s: decided by proof, and without the verifier too", f.Symbol)
				}
				if len(f.Contract.Undecided) >= len(without.Functions[i].Contract.Undecided) {
					t.Errorf("%s: decided by proof, and as much is open as without", f.Symbol)
				}
			}
			golden(t, filepath.Join(dir, "report.txt"), "Without a verifier:\n\n"+summary(without)+"\nWith a verifier:\n\n"+summary(with))
		})
	}
	if ran == len(dirs) && byProof < 12 {
		t.Errorf("%d contracts were decided by proof, want 12 or more", byProof)
	}
}

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, path, got string) {
	t.Helper()
	goldentest.Compare(t, path, got, *update)
}

// TestCorpus holds the sample changes, with the verifier's answers, against what their want.txt says of contracts and proofs.
func TestCorpus(t *testing.T) {
	wants, err := filepath.Glob("../../testdata/corpus/*/want.txt")
	if err != nil || len(wants) == 0 {
		t.Fatal("no sample changes: ", err)
	}
	for _, want := range wants {
		dir := filepath.Dir(want)
		name := filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			base, head := texts(t, dir)
			report := asked(t, base, head, filepath.Join("testdata", "corpus", name), checks.Contract, checks.Proof)
			text, err := os.ReadFile(want)
			if err != nil {
				t.Fatal(err)
			}
			for sc := bufio.NewScanner(bytes.NewReader(text)); sc.Scan(); {
				if problem := unmet(report, strings.Fields(sc.Text())); problem != "" {
					t.Errorf("%s: %s\n%s", sc.Text(), problem, summary(report))
				}
			}
		})
	}
}

// unmet says what is wrong with a line of a want.txt; empty if it holds, or is about another family.
func unmet(r *checks.Report, line []string) string {
	if len(line) < 2 {
		return ""
	}
	is := func(symbol, want string) bool { return symbol == want || strings.HasSuffix(symbol, "::"+want) }
	switch family, _, _ := strings.Cut(line[1], "/"); {
	case family != string(checks.Contract) && family != string(checks.Proof):
	case line[0] == "+":
		if !slices.ContainsFunc(r.Findings, func(f checks.Finding) bool { return f.Rule == line[1] && is(f.Symbol, line[2]) }) {
			return "not found"
		}
	case line[0] == "-":
		for _, f := range r.Findings {
			if (f.Rule == line[1] || strings.HasPrefix(f.Rule, line[1]+"/")) && f.Severity > policy.Notice {
				return "found"
			}
		}
	case line[0] == "=":
		for _, f := range r.Functions {
			if is(f.Symbol, line[2]) && f.Contract.Direction != line[3] {
				return f.Contract.Direction + " by " + f.Contract.By
			}
		}
	}
	return ""
}

// TestRuleExamples runs the examples of the rule that needs answers to questions on real ones.
func TestRuleExamples(t *testing.T) {
	for _, rule := range registry.Rules() {
		if rule.ID != "proof/inconsistent-context" {
			continue
		}
		for name, e := range map[string]checks.Example{"fires": rule.Fires, "quiet": rule.Quiet} {
			report := asked(t, e.Base, e.Head, filepath.Join("testdata", "examples", name), checks.Proof)
			var got []string
			for _, f := range report.Findings {
				got = append(got, f.Rule+" "+f.Symbol)
			}
			var want []string
			if e.Symbol != "" {
				want = []string{rule.ID + " " + e.Symbol}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		return
	}
	t.Error("there is no rule proof/inconsistent-context")
}

// answered checks a sample with answers that alter changes.
func answered(t *testing.T, name string, change func(o *engine.Options), alter func(call string, res *sandbox.Result) error) *checks.Report {
	t.Helper()
	dir := filepath.Join("testdata", "questions", name)
	base, head := texts(t, dir)
	r := newRepo(t)
	for _, text := range []string{base, head} {
		r.write("src/lib.rs", text)
		r.commit("change")
	}
	replay := verustest.NewReplay(t)
	replay.AddKeyed(dir)
	replay.Alter(alter)
	o := r.options()
	o.Only = []checks.Family{checks.Contract, checks.Proof}
	o.Verifier = func(context.Context, string) (*verus.Verifier, error) {
		return verustest.Installed(release, replay), nil
	}
	change(&o)
	return check(t, o).Report
}

func nothing(*engine.Options) {}

func question(call string) bool { return strings.Contains(call, "--verify-function") }

// TestNoAnswers: what was asked and not answered leaves the direction open, and the report says why.
func TestNoAnswers(t *testing.T) {
	report := answered(t, "equal-library-word", nothing, func(call string, res *sandbox.Result) error {
		if question(call) {
			res.Stdout = res.Stdout[:len(res.Stdout)/2]
		}
		return nil
	})
	const want = `outcome inconclusive
reason proof: questions about the root module of lib were not answered: what the verifier printed is not complete: a line of JSON or a summary on stdout is cut or not JSON; run it again
reason contract: holds: whether the contract is as strong as base's could not be decided (contract/direction-unknown)
holds: unknown by none, ensures not weaker: the verifier did not come to it, ensures not stronger: the verifier did not come to it
`
	got := summary(report)
	if i := strings.Index(got, "warning"); i > 0 {
		got = got[:i]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestNotAsked: nothing is asked about functions that are not reported. What rests on a definition that was asked for is.
func TestNotAsked(t *testing.T) {
	for function, asks := range map[string]bool{"checked": false, "pick": true, "has": true} {
		t.Run(function, func(t *testing.T) {
			asked := false
			report := answered(t, "equal-definition", func(o *engine.Options) { o.Function = function }, func(call string, res *sandbox.Result) error {
				asked = asked || question(call)
				return nil
			})
			if asked != asks {
				t.Errorf("asked: %t, want %t", asked, asks)
			}
			if diff := cmp.Diff(fmt.Sprintf("outcome pass\nreason scope: only functions that match %q are reported\n", function), summary(report)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestLie: a verifier that proves everything but what it must not prove is not believed where a case says otherwise.
func TestLie(t *testing.T) {
	report := answered(t, "weaker-multiple", nothing, func(call string, res *sandbox.Result) error {
		if !question(call) {
			return nil
		}
		canary := ""
		errors := 0
		var said []string
		for _, l := range strings.Split(string(res.Stderr), "\n") {
			if name := regexp.MustCompile(`sg[0-9a-f]{8}_[0-9]+\b`).FindString(l); name != "" {
				if canary == "" {
					canary = name // it comes first
				}
				if !strings.Contains(l, "proof fn "+canary+"()") {
					continue
				}
				errors++
			}
			said = append(said, l)
		}
		res.Stderr = []byte(strings.Join(said, "\n"))
		text := string(res.Stdout)
		text = regexp.MustCompile(`"errors": \d+`).ReplaceAllString(text, `"errors": 1`)
		text = regexp.MustCompile(`"function": "[^"]*",(\s*"[a-z-]+": [^\n]*)*?\s*"success": false`).ReplaceAllStringFunc(text, func(s string) string {
			if strings.Contains(s, canary+`"`) {
				return s
			}
			return strings.Replace(s, `"success": false`, `"success": true`, 1)
		})
		res.Stdout = []byte(text)
		return nil
	})
	const want = `outcome inconclusive
reason contract: area: whether the contract is as strong as base's could not be decided (contract/direction-unknown)
reason contract: area: internal error of specgate or of the verifier: ensures not weaker: proved, and refuted by a witness; nothing is concluded about its contract
`
	got := summary(report)
	if diff := cmp.Diff(want, got[:strings.Index(got, "area: unknown")]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
