package publish

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

// wholeReport has something in every place that a report has.
func wholeReport() *checks.Report {
	span := source.Range{Start: source.Position{Line: 3, Column: 1}, End: source.Position{Line: 4, Column: 2}}
	share := func(x float64) *float64 { return &x }
	yes := true
	suite := &checks.SuiteResult{Rejected: 3, Escaped: 1, Undecided: 1, Total: 5, Value: share(0.75), Low: 0.6, High: 0.8, Label: "empirical", Inputs: 4,
		Clauses: []checks.ClauseUse{{Kind: "ensures", Text: "r > 0", File: "src/a.rs", Span: span, Rejects: 3, Only: 3}}}
	return &checks.Report{
		Schema: checks.Schema, Specgate: checks.Build{Version: "v1"}, Base: checks.Revision{Rev: strings.Repeat("1", 40)}, Head: checks.Revision{Rev: strings.Repeat("2", 40)},
		Policy: checks.PolicyRef{Source: "default"}, Tools: checks.Tools{Rustc: &checks.Tool{Version: "1.85.0"}, Verus: &checks.VerusTool{Version: "0.1"}},
		Outcome: checks.OutcomeFindings, Reasons: []checks.Reason{{Stage: "proof", Text: "nothing was proved"}},
		Counts: checks.Counts{Selected: 2, Proved: 1, Skipped: 1}, Score: checks.Score{Head: share(0.5), PassRate: share(1)},
		Simulation: &checks.Simulation{Policy: checks.PolicyRef{Source: "x"}, Before: checks.Judgement{Outcome: checks.OutcomeFindings, Blocking: 1},
			After: &checks.Judgement{Outcome: checks.OutcomePass, Passes: true}, Passes: 1,
			Settings: []checks.SettingChange{{Key: "gate.fail-on", Direction: policy.Looser, Shown: true}},
			Findings: []checks.FindingChange{{Rule: "trust/assume", Symbol: "a::f", File: "src/a.rs", Span: span, Message: "New assumption.", Fingerprint: strings.Repeat("ab", 16),
				Before: &checks.FindingState{Severity: policy.Error, Blocks: true}, After: &checks.FindingState{Severity: policy.Error}}},
			Reasons: []checks.ReasonChange{{Change: "added", Reason: checks.Reason{Stage: "parse", Text: "x"}}}},
		Functions: []checks.Function{{Symbol: "a::f", File: "src/a.rs", Span: span, Change: "changed", Executable: "same",
			Contract: checks.FunctionContract{Direction: "weaker", By: "witness", Unique: &yes, Clauses: []checks.Clause{{Kind: "ensures", Text: "r > 0", Change: "same"}}},
			Trust:    checks.TrustDelta{Added: []checks.TrustSite{{Kind: "assume", Text: "assume(false)", File: "src/a.rs", Span: span}}},
			Proof:    checks.FunctionProof{Base: "proved", Head: "failed", Errors: []checks.ProofError{{Category: "postcondition", Message: "not satisfied", Span: span}}},
			Strength: checks.FunctionStrength{Head: suite}, Score: checks.FunctionScore{Head: share(0.5), Delta: share(-0.5)}}},
		Findings: []checks.Finding{{Rule: "trust/assume", Severity: policy.Error, Symbol: "a::f", File: "src/a.rs", Span: span, Base: &checks.Place{File: "src/a.rs", Span: span},
			Message: "New assumption.", Witness: &checks.Witness{Input: "x = 1"}, Fingerprint: strings.Repeat("ab", 16)}},
	}
}

func written(t testing.TB, r *checks.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRead(t *testing.T) {
	want := written(t, wholeReport())
	got, err := Read(want, engine.RuleInfos())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(written(t, got))); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		name   string
		change func(r *checks.Report)
		want   string
	}{
		{"working tree", func(r *checks.Report) { r.Head.Rev = "working tree" }, `head.rev: "working tree" is not the full hash of a commit; only reports about commits can be published`},
		{"short hash", func(r *checks.Report) { r.Base.Rev = "1111" }, `base.rev: "1111" is not the full hash of a commit; only reports about commits can be published`},
		{"negative count", func(r *checks.Report) { r.Counts.Failed = -1 }, `counts: -1 is not a count`},
		{"wrong sum", func(r *checks.Report) { r.Counts.Proved = 2 }, `counts: selected is 2, and the others add up to 3`},
		{"score", func(r *checks.Report) { *r.Score.Head = 1.5 }, `score: 1.5 is not from 0 to 1`},
		{"delta", func(r *checks.Report) { *r.Functions[0].Score.Delta = -2 }, `functions[0] ("a::f"): delta: -2 is not from -1 to 1`},
		{"word", func(r *checks.Report) { r.Functions[0].Proof.Head = "fine" }, `functions[0] ("a::f"): proof.head: "fine" is none of proved, failed, timed-out, internal-error, unsupported, skipped, not-run`},
		{"value", func(r *checks.Report) { *r.Functions[0].Strength.Head.Value = 1 }, `functions[0] ("a::f"): strength: value: it is 1, and 3 of 4 are rejected`},
		{"total", func(r *checks.Report) { r.Functions[0].Strength.Head.Total = 4 }, `functions[0] ("a::f"): strength: total is 4, and the parts add up to 5`},
		{"label", func(r *checks.Report) { r.Functions[0].Strength.Head.Label = "sure" }, `functions[0] ("a::f"): strength: label: "sure" is neither empirical nor proved`},
		{"clause outside", func(r *checks.Report) { r.Functions[0].Strength.Head.Clauses[0].File = "../b.rs" }, `functions[0] ("a::f"): strength: clauses: file: "../b.rs" is not the path of a file in a repository`},
		{"trust outside", func(r *checks.Report) { r.Functions[0].Trust.Added[0].File = "/b.rs" }, `functions[0] ("a::f"): trust: file: "/b.rs" is not the path of a file in a repository`},
		{"finding outside", func(r *checks.Report) { r.Findings[0].File = "src/../../b.rs" }, `findings[0] ("trust/assume"): file: "src/../../b.rs" is not the path of a file in a repository`},
		{"base outside", func(r *checks.Report) { r.Findings[0].Base.File = `..\b.rs` }, `findings[0] ("trust/assume"): base: file: "..\\b.rs" is not the path of a file in a repository`},
		{"control character", func(r *checks.Report) { r.Findings[0].File = "a\n.rs" }, `findings[0] ("trust/assume"): file: "a\n.rs" is not the path of a file in a repository`},
		{"backwards", func(r *checks.Report) { r.Findings[0].Span.End.Line = 2 }, `findings[0] ("trust/assume"): span: 3:1 to 2:2 is no range`},
		{"severity", func(r *checks.Report) { r.Findings[0].Severity = policy.Off }, `findings[0] ("trust/assume"): severity: want error, warning or notice`},
		{"rule", func(r *checks.Report) { r.Findings[0].Rule = "trust/me" }, `findings[0] ("trust/me"): rule: there is none of that name`},
		{"fingerprint", func(r *checks.Report) { r.Findings[0].Fingerprint = "-->" }, `findings[0] ("trust/assume"): fingerprint: "-->" is not one`},
		{"no message", func(r *checks.Report) { r.Findings[0].Message = "" }, `findings[0] ("trust/assume"): message: it is empty`},
		{"a policy that is wrong and known", func(r *checks.Report) {
			r.Simulation.Errors = []checks.PolicyError{{File: "a", Span: r.Findings[0].Span, Message: "m"}}
		}, `simulation: after: it is known exactly if there are no errors, and notSimulated is empty`},
		{"a policy that is elsewhere", func(r *checks.Report) {
			r.Simulation.Errors = []checks.PolicyError{{File: "../a", Span: r.Findings[0].Span, Message: "m"}}
		}, `simulation: errors: file: "../a" is not the path of a file in a repository`},
		{"a mistake without words", func(r *checks.Report) {
			r.Simulation.Errors = []checks.PolicyError{{File: "a", Span: r.Findings[0].Span}}
		}, `simulation: errors: a message is empty`},
		{"many mistakes", func(r *checks.Report) {
			r.Simulation.Errors = slices.Repeat([]checks.PolicyError{{File: "a", Span: r.Findings[0].Span, Message: "m"}}, 101)
		}, `simulation: errors: 101 are more than are reported`},
		{"blocking", func(r *checks.Report) { r.Simulation.After.Blocking = -1 }, `simulation: after.blocking: -1 is not a count`},
		{"findings that pass", func(r *checks.Report) { r.Simulation.Before.Passes = true }, `simulation: before: an outcome of findings does not pass`},
		{"direction", func(r *checks.Report) { r.Simulation.Settings[0].Direction = "up" }, `simulation: settings: "gate.fail-on" has the direction "up"`},
		{"simulated rule", func(r *checks.Report) { r.Simulation.Findings[0].Rule = "trust/me" }, `simulation: findings[0] ("trust/me"): rule: there is none of that name`},
		{"simulated state", func(r *checks.Report) { r.Simulation.Findings[0].Before.Severity = policy.Off }, `simulation: findings[0] ("trust/assume"): it is off, waived or not, and blocks or not, which cannot be`},
		{"simulated order", func(r *checks.Report) {
			r.Simulation.Findings = append(r.Simulation.Findings, r.Simulation.Findings[0])
			r.Simulation.Findings[1].File = "src/A.rs"
		}, `simulation: findings: they are not sorted`},
		{"simulated reason", func(r *checks.Report) { r.Simulation.Reasons[0].Change = "kept" }, `simulation: reasons: "kept" is neither added nor removed`},
		{"simulated count", func(r *checks.Report) { r.Simulation.Stops = 1 }, `simulation: passes and stops: they are 1 and 1, and the findings say 1 and 0`},
	} {
		r := wholeReport()
		c.change(r)
		_, err := Read(written(t, r), engine.RuleInfos())
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%s: %s", c.name, cmp.Diff(c.want, got))
		}
	}
	for name, text := range map[string]string{
		"more behind it":  string(want) + "{}",
		"text behind it":  string(want) + "x",
		"deep":            strings.Repeat("[", 1<<20),
		"another capital": strings.Replace(string(want), `"findings"`, `"FINDINGS"`, 1),
		"null for a list": strings.Replace(string(want), `"reasons": [`, `"reasons": null, "x": [`, 1),
	} {
		if _, err := Read([]byte(text), engine.RuleInfos()); err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
}

// FuzzRead: whatever is read is what specgate would write, points into the repository, and can be judged and rendered within GitHub's
// limits; a judgement only makes it worse.
func FuzzRead(f *testing.F) {
	whole := written(f, wholeReport())
	f.Add(whole)
	f.Add(bytes.ReplaceAll(whole, []byte("src/a.rs"), []byte("../a.rs")))
	f.Add(bytes.ReplaceAll(whole, []byte("assum"), []byte("::error::\\u202e%0A")))
	f.Add([]byte("{}"))
	rules := engine.RuleInfos()
	rank := map[checks.Outcome]int{checks.OutcomePass: 0, checks.OutcomeFindings: 1, checks.OutcomeInconclusive: 2, checks.OutcomeError: 3}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Read(text, rules)
		if err != nil {
			return
		}
		var given bytes.Buffer
		if err := json.Compact(&given, text); err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err := json.Compact(&again, written(t, r)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(given.Bytes(), again.Bytes()) {
			t.Errorf("read %s, which is %s", given.Bytes(), again.Bytes())
		}
		for _, x := range r.Findings {
			if !fs.ValidPath(x.File) {
				t.Errorf("a finding is at %q", x.File)
			}
		}
		before := r.Outcome
		pol := policy.Default()
		Judge(r, pol, nil, nil, policy.Date{Year: 2026, Month: time.January, Day: 1})
		if rank[r.Outcome] < rank[before] {
			t.Errorf("%v is judged %v", before, r.Outcome)
		}
		run := annotate.NewCheckRun(r, annotate.Options{Rules: engine.Rules(), FailOn: string(pol.Gate.FailOn), InconclusiveFails: true})
		if (run.Conclusion == annotate.Success) != (r.Outcome == checks.OutcomePass) || len(run.Summary) > 65535 || len(run.Text) > 65535 {
			t.Errorf("conclusion %s of outcome %v; %d and %d bytes", run.Conclusion, r.Outcome, len(run.Summary), len(run.Text))
		}
		for _, c := range annotate.NewReview(r, annotate.Options{}).Comments {
			if len(c.Body) > 65000 {
				t.Errorf("a comment of %d bytes", len(c.Body))
			}
		}
	})
}
