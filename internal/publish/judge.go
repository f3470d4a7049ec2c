package publish

import (
	"fmt"
	"slices"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/policy"
)

// Judgement is a report as the policy of its base sees it.
type Judgement struct {
	Report *checks.Report
	Policy *policy.Policy
	// Strict: the run did not come to its end, so an inconclusive outcome blocks whatever the policy says.
	Strict bool
	// Notes say, a line each, where the report was corrected.
	Notes []string
}

// InconclusiveFails tells whether an inconclusive outcome blocks.
func (j *Judgement) InconclusiveFails() bool {
	return j.Strict || j.Policy.Gate.Inconclusive == policy.InconclusiveFail
}

// Blocks tells whether the change must not be merged as it is.
func (j *Judgement) Blocks() bool {
	switch j.Report.Outcome {
	case checks.OutcomePass:
		return false
	case checks.OutcomeInconclusive:
		return j.InconclusiveFails()
	}
	return true
}

// Options are those of the renderers for GitHub.
func (j *Judgement) Options() annotate.Options {
	return annotate.Options{Rules: engine.Rules(), FailOn: string(j.Policy.Gate.FailOn), PerFunction: j.Policy.Report.AnnotationsPerFunction,
		InconclusiveFails: j.InconclusiveFails()}
}

// Judge judges the findings of a report anew, by a policy, and changes the report. What is better for the change in the report than in the
// judgement is corrected, and what is worse stays. Only what the run could not know makes it better: the labels of the pull request, and
// what people accepted, waivers by the fingerprint of a finding. It cannot know what the report leaves out.
func Judge(r *checks.Report, pol *policy.Policy, labels []string, accepted map[string]checks.WaiverRef, today policy.Date) *Judgement {
	j := &Judgement{Report: r, Policy: pol}
	labelled := pol.WithLabels(labels)
	blocking, allowed, undecided := false, false, false
	for i := range r.Findings {
		f := &r.Findings[i]
		blocked := blocks(pol, f.Severity, f.Waived)
		// A finding may weigh more or less than its rule, which the policy's keys override.
		d := pol.Decide(policy.RuleInfo{ID: f.Rule, Severity: f.Severity}, f.File, f.Symbol, today, nil)
		if d.Severity > f.Severity {
			j.note("%s in %q is %s by the policy, not %s", f.Rule, f.Symbol, d.Severity, f.Severity)
			f.Severity = d.Severity
		}
		if l := labelled.Decide(policy.RuleInfo{ID: f.Rule, Severity: f.Severity}, f.File, f.Symbol, today, nil); f.Severity == d.Severity && l.Severity < d.Severity {
			j.note("%s in %q is %s because of the %s, not %s", f.Rule, f.Symbol, l.Severity, l.By, f.Severity)
			allowed = allowed || blocked
			f.Severity = l.Severity
		}
		w, ok := accepted[f.Fingerprint]
		switch {
		case f.Waived != nil && d.Waived != nil && d.Waived.ID == f.Waived.ID:
		case ok:
			j.note("%s in %q is waived: %s", f.Rule, f.Symbol, w.ID)
			allowed = allowed || blocked
			f.Waived = &w
		case f.Waived != nil:
			j.note("%s in %q is waived by %q, which the policy does not say", f.Rule, f.Symbol, f.Waived.ID)
			f.Waived = nil
			// The waiver may have hidden that something could not be decided.
			undecided = undecided || slices.ContainsFunc(engine.Rules(), func(rule *checks.Rule) bool { return rule.ID == f.Rule && rule.Undecidable })
		}
		blocking = blocking || blocks(pol, f.Severity, f.Waived)
	}
	blocked := false
	for _, reason := range r.Reasons {
		// Reasons of these stages are about what had to be looked at; of others it depends.
		blocked = blocked || slices.Contains([]string{"read", "parse", "time"}, reason.Stage)
		j.Strict = j.Strict || reason.Stage == "time"
	}
	before := r.Outcome
	switch {
	case r.Outcome == checks.OutcomeError:
	case (blocked || r.Outcome == checks.OutcomeInconclusive) && j.InconclusiveFails():
		r.Outcome = checks.OutcomeInconclusive
	case blocking:
		r.Outcome = checks.OutcomeFindings
	case (blocked || undecided) && r.Outcome == checks.OutcomePass:
		r.Outcome = checks.OutcomeInconclusive
	case undecided && allowed && r.Outcome == checks.OutcomeFindings:
		r.Outcome = checks.OutcomeInconclusive
	case allowed && r.Outcome == checks.OutcomeFindings && pol.Gate.Inconclusive != policy.InconclusiveFail && len(r.Reasons) > 0:
		r.Outcome = checks.OutcomeInconclusive // the findings may have hidden that
	case allowed && r.Outcome == checks.OutcomeFindings:
		r.Outcome = checks.OutcomePass // nothing else blocked
	}
	if r.Outcome != before {
		j.note("the outcome is %s, not %s", r.Outcome, before)
	}
	j.settle()
	return j
}

func (j *Judgement) note(format string, args ...any) {
	j.Notes = append(j.Notes, fmt.Sprintf(format, args...))
}
