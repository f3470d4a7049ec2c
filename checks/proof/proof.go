package proof

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

// head is the run on the head, or nil.
func head(p *checks.Pass) *checks.ProofRun {
	if p.Proof == nil {
		return nil
	}
	return p.Proof.Head
}

// functions are those of a run, in the order of their places.
func functions(run *checks.ProofRun) []*model.Function {
	var out []*model.Function
	for f := range run.Functions {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b *model.Function) int {
		return cmp.Or(cmp.Compare(a.File.Path, b.File.Path), cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Symbol, b.Symbol))
	})
	return out
}

// at starts a finding at a head function.
func at(p *checks.Pass, f *model.Function) checks.Finding {
	if p.Pairs != nil {
		if pr := p.Pairs.OfHead(f); pr != nil {
			return checks.AtFunction(pr)
		}
	}
	return checks.AtFunction(&pair.Function{Head: f})
}

// The categories that other rules than proof/failed report.
const (
	rlimit   = "rlimit"
	internal = "internal"
	setup    = "setup"
)

func failed(p *checks.Pass) {
	eachFailure(p, func(category string) bool { return category != rlimit && category != internal && category != setup })
}

func timeout(p *checks.Pass) {
	eachFailure(p, func(category string) bool { return category == rlimit })
	problems(p, checks.ProblemTimedOut)
}

func internalError(p *checks.Pass) {
	eachFailure(p, func(category string) bool { return category == internal || category == setup })
	problems(p, checks.ProblemInternal)
}

func notRun(p *checks.Pass)          { problems(p, checks.ProblemNotRun) }
func nothingVerified(p *checks.Pass) { problems(p, checks.ProblemNothingVerified) }

// notAllVerified reports functions too that the verifier passed over, unless something about the run explains it.
func notAllVerified(p *checks.Pass) {
	problems(p, checks.ProblemNotAllVerified)
	run := head(p)
	if run == nil || len(run.Problems) > 0 || broken(run) {
		return
	}
	for _, f := range functions(run) {
		if v := run.Functions[f]; v.Outcome == checks.ProofNotRun {
			finding := at(p, f)
			finding.Message = "The verifier did not look at this function: " + line(v.Reason) + "."
			finding.Change = "not looked at"
			p.Report(finding)
		}
	}
}

// ownWord reports programs of the change that its own verification rests on.
func ownWord(p *checks.Pass) {
	if head(p) == nil {
		return
	}
	for _, path := range p.Proof.Programs {
		f := checks.AtFile(checks.FileChange{Head: source.NewFile(path, nil)})
		f.Message = "This runs while the change is verified, and the change edits it: what the verifier says is then the change's own word."
		f.Change = path
		p.Report(f)
	}
}

// broken tells whether a failure keeps the verifier from proving the rest.
func broken(run *checks.ProofRun) bool {
	bad := func(f checks.ProofFailure) bool {
		switch f.Category {
		case "trigger", "mode", "lifetime", "visibility", "unsupported", "compile", "cheating", "other", internal, setup, "termination", "assertion":
			return true
		}
		return false
	}
	for _, v := range run.Functions {
		if slices.ContainsFunc(v.Failures, bad) {
			return true
		}
	}
	return slices.ContainsFunc(run.Loose, bad)
}

func problems(p *checks.Pass, kind checks.ProofProblemKind) {
	run := head(p)
	if run == nil {
		return
	}
	for _, problem := range run.Problems {
		if problem.Kind != kind {
			continue
		}
		f := checks.AtFile(checks.FileChange{Head: source.NewFile(problem.File, nil)})
		f.Message = sentence(line(problem.Text))
		f.Change = problem.Target
		p.Report(f)
	}
}

// eachFailure reports the failures of some categories.
func eachFailure(p *checks.Pass, want func(category string) bool) {
	run := head(p)
	if run == nil {
		return
	}
	for _, f := range functions(run) {
		v := run.Functions[f]
		var base *checks.ProofVerdict
		if b := baseOf(p, f); b != nil {
			base = p.Proof.Base.Functions[b]
		}
		old := inherited(v, base)
		for i, failure := range v.Failures {
			if want(failure.Category) {
				finding := at(p, f)
				if old[i] {
					finding.Detail = "Base fails in the same way."
					if pr := p.Pairs.OfHead(f); pr.Change == pair.Same && bySolver(failure.Category) {
						finding.Detail = "Base fails in the same way, and the change does not touch this function."
						finding.Severity = policy.Warning // it is not the change's fault
					}
				}
				if s := seeds(v.Seeds); s != "" {
					finding.Detail = strings.TrimPrefix(finding.Detail+"\n"+s, "\n")
				}
				report(p, finding, failure)
			}
		}
	}
	for _, failure := range run.Loose {
		if want(failure.Category) {
			f := checks.AtFile(checks.FileChange{Head: source.NewFile("Cargo.toml", nil)})
			f.Symbol = "crate"
			if failure.File != nil {
				f.Symbol = failure.File.Path
			}
			report(p, f, failure)
		}
	}
}

// baseOf is the base function that a head function was, if base was verified.
func baseOf(p *checks.Pass, f *model.Function) *model.Function {
	if p.Proof.Base == nil || p.Pairs == nil {
		return nil
	}
	if pr := p.Pairs.OfHead(f); pr != nil {
		return pr.Base
	}
	return nil
}

// bySolver tells the failures of one proof from those of the front end, which keep the rest from being verified too.
func bySolver(category string) bool {
	switch category {
	case "postcondition", "precondition", "assertion", "invariant", "arithmetic", "type-invariant", "bit-vector", "nonlinear", "recommends", rlimit:
		return true
	}
	return false
}

// inherited tells of each failure in head whether base has it too: as often as base has one of that category about that clause.
func inherited(head, base *checks.ProofVerdict) []bool {
	type identity struct{ category, key string }
	out := make([]bool, len(head.Failures))
	if base == nil {
		return out
	}
	left := map[identity]int{}
	for _, f := range base.Failures {
		left[identity{f.Category, f.Key}]++
	}
	for i, f := range head.Failures {
		if id := (identity{f.Category, f.Key}); left[id] > 0 {
			left[id]--
			out[i] = true
		}
	}
	return out
}

// seeds says how a proof went with other seeds of the solver; empty: nothing is known.
func seeds(s *checks.SeedRuns) string {
	switch {
	case s == nil || s.Tried == 0:
		return ""
	case s.Proved == 0:
		return fmt.Sprintf("It is not proved with %s of the solver either.", count(s.Tried, "other seed"))
	}
	return fmt.Sprintf("The proof is unstable: with other seeds of the solver it is found in %d of %s.", s.Proved, count(s.Tried, "run"))
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// report adds what the verifier says to a finding. Its detail, if it has one, comes last.
func report(p *checks.Pass, f checks.Finding, failure checks.ProofFailure) {
	if failure.File != nil {
		f = f.At(failure.File, failure.Span)
	}
	f.Message = message(failure)
	f.Change = failure.Category + "\x00" + failure.Key
	detail := []string{"The verifier says: " + stop(line(failure.Message))}
	if also := failure.Also; also != nil {
		detail = append(detail, fmt.Sprintf("See also %s:%s.", also.File, also.Span.Start))
	}
	if f.Detail != "" {
		detail = append(detail, f.Detail)
	}
	f.Detail = strings.Join(detail, "\n")
	p.Report(f)
}

// sayings by category: %s is the clause.
var sayings = map[string]string{
	"postcondition":  "The postcondition %s is not proved.",
	"precondition":   "A call is not shown to meet the precondition %s.",
	"assertion":      "The assertion %s is not proved.",
	"invariant":      "The loop invariant %s is not proved.",
	"termination":    "It is not proved that this ends: %s.",
	"arithmetic":     "The arithmetic in %s may overflow, divide by zero or shift too far.",
	"type-invariant": "The value %s is not shown to meet the invariant of its type.",
	"atomic":         "The use of invariants or unwinding in %s is not shown to be allowed.",
	"bit-vector":     "The bit-vector assertion %s is not proved.",
	"nonlinear":      "The nonlinear assertion %s is not proved.",
	"recommends":     "The recommendation %s is not met.",
	"trigger":        "The verifier needs other triggers for %s.",
	"mode":           "Ghost code and executable code are mixed in %s.",
	"lifetime":       "The borrow checker does not accept %s.",
	"visibility":     "%s is not visible, or the verifier ignores it.",
	"unsupported":    "The verifier does not support %s.",
	"compile":        "The code does not compile at %s.",
	"cheating":       "The verifier does not allow %s when cheating is off.",
	rlimit:           "The solver reached its resource limit before it found a proof (%s), so that nobody knows whether it holds.",
	internal:         "The verifier failed at %s.",
	setup:            "The verifier's installation does not fit together: %s.",
}

func message(f checks.ProofFailure) string {
	saying, ok := sayings[f.Category]
	if !ok {
		saying = "The verifier does not accept %s."
	}
	clause := line(f.Clause)
	if f.Category == "precondition" && f.File != nil && f.Span.End <= len(f.File.Text) && string(f.File.Text[f.Span.Start:f.Span.End]) == f.Clause {
		saying = "The call %s is not shown to meet a precondition of what it calls." // which the verifier's library has
	}
	switch {
	case clause == "":
		return "The verifier reports: " + stop(line(f.Message))
	case f.Category == rlimit || f.Category == setup:
		return fmt.Sprintf(saying, clause)
	}
	return fmt.Sprintf(saying, "`"+clause+"`")
}

// maxLine is the most of a text that a message has, in bytes.
const maxLine = 300

// line makes one line of a text and shortens it.
func line(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxLine {
		return s
	}
	cut := maxLine
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	if c := s[0]; c >= 'a' && c <= 'z' {
		s = string(c-'a'+'A') + s[1:]
	}
	return stop(s)
}

func stop(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// compared visits the functions that both sides have, with both verdicts.
func compared(p *checks.Pass, visit func(f *model.Function, base, head *checks.ProofVerdict)) {
	run := head(p)
	if run == nil {
		return
	}
	for _, f := range functions(run) {
		if b := baseOf(p, f); b != nil {
			if base := p.Proof.Base.Functions[b]; base != nil {
				visit(f, base, run.Functions[f])
			}
		}
	}
}

// refuted tells an outcome that says the function is not proved, as against one that says nothing.
func refuted(o checks.ProofOutcome) bool {
	return o == checks.ProofFailed || o == checks.ProofTimedOut || o == checks.ProofInternalError || o == checks.ProofUnsupported
}

func regressed(p *checks.Pass) {
	compared(p, func(f *model.Function, base, head *checks.ProofVerdict) {
		if base.Outcome != checks.ProofProved || !refuted(head.Outcome) {
			return
		}
		finding := at(p, f)
		finding.Message = "It was proved in base and is not now: " + stop(line(head.Reason))
		if pr := p.Pairs.OfHead(f); pr.Change == pair.Same {
			finding.Detail = "The function itself did not change: something that it rests on did, or the search for its proof is unstable."
		}
		if s := seeds(head.Seeds); s != "" {
			finding.Detail = strings.TrimPrefix(finding.Detail+"\n"+s, "\n")
		}
		finding.Change = head.Outcome.String()
		p.Report(finding)
	})
}

func fixed(p *checks.Pass) {
	compared(p, func(f *model.Function, base, head *checks.ProofVerdict) {
		if !refuted(base.Outcome) || head.Outcome != checks.ProofProved {
			return
		}
		finding := at(p, f)
		finding.Message = "It was not proved in base and is now; the verifier said of base: " + stop(line(base.Reason))
		finding.Change = base.Outcome.String()
		p.Report(finding)
	})
}

// One unit of the verifier's --rlimit is so much of the solver's count. Costs below it vary with the order of queries.
const costFloor = 3_000_000

func costGrew(p *checks.Pass) {
	if p.Proof == nil || !p.Proof.Comparable {
		return
	}
	compared(p, func(f *model.Function, base, head *checks.ProofVerdict) {
		if base.Outcome != checks.ProofProved || head.Outcome != checks.ProofProved || base.Cost <= 0 || head.Cost < costFloor || head.Cost/2 < base.Cost {
			return
		}
		finding := at(p, f)
		finding.Message = fmt.Sprintf("Its proof costs the solver %.1f times as much as in base. The more it costs, the sooner an edit elsewhere, or another release of the solver, makes it fail.", float64(head.Cost)/float64(base.Cost))
		finding.Detail = fmt.Sprintf("Resource count: %d in base, %d now; the limit of a function is 10 units of %d unless it is set.", base.Cost, head.Cost, costFloor)
		finding.Change = "cost"
		p.Report(finding)
	})
}

func knob(p *checks.Pass) {
	for _, pr := range p.Pairs.Functions {
		if pr.Base == nil || pr.Head == nil {
			continue
		}
		gone, came := minus(pr.Base.Knobs, pr.Head.Knobs), minus(pr.Head.Knobs, pr.Base.Knobs)
		if len(gone)+len(came) == 0 {
			continue
		}
		f := checks.AtFunction(pr)
		var parts []string
		if len(gone) > 0 {
			parts = append(parts, "without "+strings.Join(gone, ", "))
		}
		if len(came) > 0 {
			parts = append(parts, "with "+strings.Join(came, ", "))
		}
		f.Message = "Its proof is now searched for " + strings.Join(parts, " and ") + ". That changes how a proof is found, not what is proved."
		if pr.Head.Mode == model.Spec {
			f.Message = "Attributes of this spec function that only steer proofs changed: it is now " + strings.Join(parts, " and ") + "."
		}
		f.Change = strings.Join(gone, " ") + "\x00" + strings.Join(came, " ")
		p.Report(f)
	}
}

// minus is what a has more often than b, sorted.
func minus(a, b []string) []string {
	n := map[string]int{}
	for _, x := range b {
		n[x]++
	}
	var out []string
	for _, x := range a {
		if n[x] > 0 {
			n[x]--
		} else {
			out = append(out, x)
		}
	}
	slices.Sort(out)
	return out
}
