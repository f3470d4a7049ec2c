package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/policy"
)

// settle has the simulation tell of the findings as they were judged.
func (j *Judgement) settle() {
	s := j.Report.Simulation
	if s == nil {
		return
	}
	byPrint := map[string]*checks.Finding{}
	s.Before = checks.Judgement{Outcome: j.Report.Outcome, Passes: !j.Blocks()}
	for i := range j.Report.Findings {
		f := &j.Report.Findings[i]
		byPrint[f.Fingerprint] = f
		if blocks(j.Policy, f.Severity, f.Waived) {
			s.Before.Blocking++
		}
	}
	for i := range s.Findings {
		c := &s.Findings[i]
		if f := byPrint[c.Fingerprint]; f != nil {
			c.Before = &checks.FindingState{Severity: f.Severity, Waived: f.Waived, Blocks: blocks(j.Policy, f.Severity, f.Waived)}
		} else {
			c.Before = nil
		}
	}
	s.Count()
}

func blocks(p *policy.Policy, severity policy.Severity, waived *checks.WaiverRef) bool {
	return waived == nil && p.Gate.FailOn.Reached(severity)
}

// simulate compares the simulation of a report that may be forged with the policy that head has. What the report does not tell of a looser policy is
// added; what it tells of a stricter one stays. It cannot know what the report leaves out of the findings.
func (t *Target) simulate(ctx context.Context, j *Judgement, today policy.Date) error {
	r := j.Report
	text, found, err := t.Client.File(ctx, t.Repo, t.SHA, policy.FileName)
	if err != nil && ctx.Err() != nil {
		return err
	}
	if err != nil {
		// Such as a folder of that name: it must not keep the report from being posted.
		r.Simulation = &checks.Simulation{Policy: checks.PolicyRef{Source: t.SHA + ":" + policy.FileName}, NotSimulated: err.Error()}
		j.settle()
		return nil
	}
	proposed, ref := policy.Default(), checks.PolicyRef{Source: "default"}
	if found {
		sum := sha256.Sum256(text)
		ref = checks.PolicyRef{Source: t.SHA + ":" + policy.FileName, SHA256: hex.EncodeToString(sum[:])}
		proposed, err = policy.Parse(policy.FileName, text, engine.RuleInfos())
	}
	if ref.SHA256 == j.Policy.SHA256 {
		if r.Simulation != nil {
			j.note("the report simulates a policy, and the change proposes none")
			r.Simulation = nil
		}
		return nil
	}
	claimed := r.Simulation
	if claimed == nil || claimed.Policy != ref {
		j.note("the report does not simulate the policy that the change proposes")
		claimed = &checks.Simulation{Policy: ref}
	}
	r.Simulation = claimed
	if err != nil {
		var errs policy.Diagnostics
		if !errors.As(err, &errs) {
			return fmt.Errorf("read the policy of %s: %w", t.SHA, err)
		}
		r.Simulation = &checks.Simulation{Policy: ref}
		for _, d := range errs {
			r.Simulation.Errors = append(r.Simulation.Errors, checks.PolicyError{File: policy.FileName, Span: d.Range, Message: d.Message})
		}
		j.settle()
		return nil
	}
	if why := engine.TooCostly(proposed, len(r.Findings)); why != "" {
		r.Simulation = &checks.Simulation{Policy: ref, NotSimulated: why}
		j.settle()
		return nil
	}
	claimed.Errors, claimed.NotSimulated = nil, ""
	j.looser(claimed, proposed, today)
	j.settle()
	return nil
}

// looser adds to a simulation what the proposed policy lets pass and it does not tell.
func (j *Judgement) looser(s *checks.Simulation, proposed *policy.Policy, today policy.Date) {
	was := map[string]checks.SettingChange{}
	for _, c := range s.Settings {
		was[c.Key] = c
	}
	s.Settings = nil
	for _, d := range policy.Compare(j.Policy, proposed, engine.RuleInfos()) {
		c := checks.SettingChange{Key: d.Key, Before: d.BeforeText(), After: d.AfterText(), Direction: d.Direction}
		c.Shown = was[d.Key].Shown
		s.Settings = append(s.Settings, c)
	}
	claimed := map[string]*checks.FindingChange{}
	for i := range s.Findings {
		claimed[s.Findings[i].Fingerprint] = &s.Findings[i]
	}
	after := checks.Judgement{}
	var more []checks.FindingChange
	for i := range j.Report.Findings {
		f := &j.Report.Findings[i]
		d := proposed.Decide(policy.RuleInfo{ID: f.Rule, Severity: f.Severity}, f.File, f.Symbol, today, nil)
		state := &checks.FindingState{Severity: d.Severity}
		if d.Waived != nil {
			state.Waived = &checks.WaiverRef{ID: d.Waived.ID}
		}
		state.Blocks = blocks(proposed, state.Severity, state.Waived)
		if d.Severity == policy.Off {
			state = nil
		}
		now := blocks(j.Policy, f.Severity, f.Waived)
		then := state != nil && state.Blocks
		c := claimed[f.Fingerprint]
		switch {
		case c != nil && c.After != nil && c.After.Blocks && !then:
			c.After = state
		case c != nil:
			then = c.After != nil && c.After.Blocks
		case now && !then:
			more = append(more, checks.FindingChange{Rule: f.Rule, Symbol: f.Symbol, File: f.File, Span: f.Span, Message: f.Message, Fingerprint: f.Fingerprint, After: state})
		default:
			then = now
		}
		if then {
			after.Blocking++
		}
	}
	for i := range s.Findings {
		if c := &s.Findings[i]; c.Before == nil && c.After != nil && c.After.Blocks {
			after.Blocking++
		}
	}
	s.Findings = append(s.Findings, more...)
	slices.SortStableFunc(s.Findings, func(a, b checks.FindingChange) int { return a.Compare(&b) })
	inconclusive := j.Report.Outcome == checks.OutcomeInconclusive
	if s.After != nil {
		inconclusive = s.After.Outcome == checks.OutcomeInconclusive
	}
	fails := proposed.Gate.Inconclusive == policy.InconclusiveFail
	switch {
	case inconclusive && fails:
		after.Outcome = checks.OutcomeInconclusive
	case after.Blocking > 0:
		after.Outcome = checks.OutcomeFindings
	case inconclusive:
		after.Outcome, after.Passes = checks.OutcomeInconclusive, true
	default:
		after.Outcome, after.Passes = checks.OutcomePass, true
	}
	s.After = &after
}

// checkSimulation checks what the types do not say.
func checkSimulation(s *checks.Simulation, rules map[string]bool) error {
	for _, e := range s.Errors {
		if err := checkPlace(e.File, e.Span); err != nil {
			return fmt.Errorf("errors: %w", err)
		}
		if e.Message == "" {
			return errors.New("errors: a message is empty")
		}
	}
	if len(s.Errors) > maxPolicyErrors {
		return fmt.Errorf("errors: %d are more than are reported", len(s.Errors))
	}
	if known := s.After != nil; known != (len(s.Errors) == 0 && s.NotSimulated == "") {
		return errors.New("after: it is known exactly if there are no errors, and notSimulated is empty")
	}
	for _, side := range []struct {
		key string
		of  *checks.Judgement
	}{{"before", &s.Before}, {"after", s.After}} {
		if side.of == nil {
			continue
		}
		if side.of.Blocking < 0 || side.of.Blocking > 1<<30 {
			return fmt.Errorf("%s.blocking: %d is not a count", side.key, side.of.Blocking)
		}
		if side.of.Passes && side.of.Outcome != checks.OutcomePass && side.of.Outcome != checks.OutcomeInconclusive {
			return fmt.Errorf("%s: an outcome of %s does not pass", side.key, side.of.Outcome)
		}
	}
	for _, c := range s.Settings {
		if c.Key == "" || !slices.Contains(policy.Directions(), c.Direction) {
			return fmt.Errorf("settings: %q has the direction %q", c.Key, c.Direction)
		}
	}
	for i := range s.Findings {
		c := &s.Findings[i]
		if err := checkFinding(&checks.Finding{Rule: c.Rule, Severity: policy.Error, Symbol: c.Symbol, File: c.File, Span: c.Span, Message: c.Message, Fingerprint: c.Fingerprint}, rules); err != nil {
			return fmt.Errorf("findings[%d] (%q): %w", i, c.Rule, err)
		}
		for _, state := range []*checks.FindingState{c.Before, c.After} {
			if state != nil && (state.Severity < policy.Notice || state.Blocks && state.Waived != nil) {
				return fmt.Errorf("findings[%d] (%q): it is %s, waived or not, and blocks or not, which cannot be", i, c.Rule, state.Severity)
			}
		}
	}
	if !slices.IsSortedFunc(s.Findings, func(a, b checks.FindingChange) int { return a.Compare(&b) }) {
		return errors.New("findings: they are not sorted")
	}
	for _, c := range s.Reasons {
		if c.Change != "added" && c.Change != "removed" {
			return fmt.Errorf("reasons: %q is neither added nor removed", c.Change)
		}
	}
	counted := *s
	if counted.Count(); counted.Passes != s.Passes || counted.Stops != s.Stops {
		return fmt.Errorf("passes and stops: they are %d and %d, and the findings say %d and %d", s.Passes, s.Stops, counted.Passes, counted.Stops)
	}
	return nil
}

// maxPolicyErrors is how many a policy file can have: no more are looked for.
const maxPolicyErrors = 100
