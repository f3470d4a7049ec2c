package engine

import (
	"fmt"
	"slices"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/score"
	"github.com/specgate/specgate/internal/source"
)

// scores fills in what the functions of the change are worth, and the rates of the change. It is for when the findings are judged and the functions
// are listed.
func (r *runner) scores() {
	if r.input.Strength == nil {
		return
	}
	type place struct {
		file string
		span source.Range
	}
	pairs := map[place]*pair.Function{}
	for _, p := range r.pairs.Functions {
		if p.Head != nil {
			pairs[place{p.Head.File.Path, p.Head.File.Syntax.Source.Range(p.Head.Span)}] = p
		}
	}
	var all []score.Measured
	for i := range r.report.Functions {
		f := &r.report.Functions[i]
		if f.Change == pair.Removed.String() {
			continue
		}
		p := pairs[place{f.File, f.Span}]
		s := r.input.Strength.Of(p)
		if p == nil || s == nil {
			continue
		}
		m := score.Measured{Comparable: s.Comparable, Attempted: f.Proof.Head != checks.ProofNotRun.String() && f.Proof.Head != checks.ProofSkipped.String(),
			Proved: f.Proof.Head == checks.ProofProved.String()}
		head := r.facts(s.Head, r.proofRun(true))
		head.Bypass = r.bypass(f.Symbol)
		head.Vacuous = r.vacuous(f.Symbol, s.Head)
		f.Score.Head = head.Reward().Value
		m.Head = f.Score.Head
		if s.Base != nil {
			f.Score.Base = r.facts(s.Base, r.proofRun(false)).Reward().Value
			m.Base = f.Score.Base
		}
		if m.Base != nil && m.Head != nil {
			delta := *m.Head - *m.Base
			f.Score.Delta = &delta
		}
		if f.Strength.Head != nil {
			m.Strength = f.Strength.Head.Value
		}
		all = append(all, m)
	}
	rates := score.Of(all)
	r.report.Score = checks.Score{Base: rates.Base, Head: rates.Head, Delta: rates.Delta, Comparable: rates.Comparable, PassRate: rates.PassRate,
		CompletenessOfProved: rates.OfProved, CompletenessOfAll: rates.OfAll}
}

func (r *runner) proofRun(head bool) *checks.ProofRun {
	switch {
	case r.input.Proof == nil:
		return nil
	case head:
		return r.input.Proof.Head
	}
	return r.input.Proof.Base
}

// bypass lists what the change does at a function to be green without a proof: new trust, and edits that the policy forbids. What is waived was
// accepted by somebody.
func (r *runner) bypass(symbol string) []string {
	var out []string
	for _, f := range r.report.Findings {
		if f.Symbol == symbol && f.Waived == nil && r.policy.Gate.FailOn.Reached(f.Severity) && (family(f.Rule) == checks.Trust || family(f.Rule) == checks.Edit) {
			out = append(out, f.Rule+": "+f.Message)
		}
	}
	return out
}

func family(rule string) checks.Family {
	for _, f := range checks.Families() {
		if len(rule) > len(f) && rule[:len(f)] == string(f) && rule[len(f)] == '/' {
			return f
		}
	}
	return ""
}

// vacuous says why head's contract says nothing; empty if it does.
func (r *runner) vacuous(symbol string, m *checks.Measured) string {
	for _, f := range r.report.Findings {
		if f.Symbol == symbol && (f.Rule == "contract/contradictory-requires" || f.Rule == "contract/trivial-ensures") {
			return f.Message
		}
	}
	if r.input.Proof != nil {
		for _, q := range []obligation.Question{obligation.Contradictory, obligation.Impossible, obligation.Trivial} {
			if r.input.Proof.Asked.Proved(q, m.Function) {
				return "the verifier proves that the contract is " + q.String()
			}
		}
	}
	return empirically(m, r.policy.Gate.MinSuite)
}

// empirically says that nothing at all was rejected; empty if something was, or too little was tried.
func empirically(m *checks.Measured, least int) string {
	if m == nil || m.Suite == nil || m.Suite.Unique {
		return ""
	}
	if all := m.Suite.All(); all.Rejected == 0 && all.Escaped >= least {
		return fmt.Sprintf("the contract rejects none of %d wrong results", all.Escaped)
	}
	return ""
}

// frontEnd are the categories of failures with which the verifier's front end refuses code.
var frontEnd = []string{"mode", "lifetime", "visibility", "unsupported", "compile"}

// facts of one side of a function, but for what a comparison tells.
func (r *runner) facts(m *checks.Measured, run *checks.ProofRun) score.Facts {
	return factsOf(m, run, r.policy.Gate.MinSuite)
}

func factsOf(m *checks.Measured, run *checks.ProofRun, least int) score.Facts {
	f := score.Facts{Extract: score.Passed, Why: map[score.Stage]string{}, MinSuite: least, NotApplicable: m.NotApplicable}
	f.Compile, f.Why[score.Compile] = compiled(m, run)
	f.Verify, f.Why[score.Verify] = verified(m.Function, run)
	switch {
	case m.Suite != nil:
		s := suiteOf(m.Suite)
		f.Suite = &s
	case m.Void != "":
		f.Unmeasured = m.Void
	case m.Refuted != nil:
		f.Unmeasured = fmt.Sprintf("%s, which its contract excludes", givesText(m.Refuted.Call, m.Refuted.Result))
	default:
		f.Unmeasured = m.Unmeasured
	}
	return f
}

func givesText(call, result string) string { return fmt.Sprintf("%s gives %s", call, result) }

// compiled tells whether the code is accepted: by the verifier's front end, or, without a verifier, by rustc.
func compiled(m *checks.Measured, run *checks.ProofRun) (score.Check, string) {
	if run == nil {
		if m.Ran {
			return score.Passed, ""
		}
		if m.Unmeasured != "" {
			return score.NotRun, "no verifier was run, and by rustc there is no answer: " + m.Unmeasured
		}
		return score.NotRun, "no verifier was run, and the code was not compiled"
	}
	v := run.Functions[m.Function]
	if v == nil {
		return score.NotRun, notSeen(run)
	}
	for _, x := range v.Failures {
		if slices.Contains(frontEnd, x.Category) {
			return score.Failed, x.Message
		}
	}
	if v.Outcome == checks.ProofNotRun || v.Outcome == checks.ProofInternalError {
		return score.NotRun, v.Reason
	}
	return score.Passed, ""
}

// verified tells whether every query of a function is proved.
func verified(f *model.Function, run *checks.ProofRun) (score.Check, string) {
	if run == nil {
		return score.NotRun, "no verifier was run"
	}
	v := run.Functions[f]
	switch {
	case v == nil:
		return score.NotRun, notSeen(run)
	case v.Outcome == checks.ProofProved:
		return score.Passed, ""
	case v.Outcome == checks.ProofNotRun, v.Outcome == checks.ProofSkipped:
		return score.NotRun, v.Reason
	}
	return score.Failed, v.Outcome.String() + ": " + v.Reason
}

func notSeen(run *checks.ProofRun) string {
	if len(run.Problems) > 0 {
		return run.Problems[0].Text
	}
	return "the verifier did not look at it"
}
