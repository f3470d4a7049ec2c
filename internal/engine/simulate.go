package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/policy"
)

// maxMatches is how much matching a proposed policy may take: so many of its globs and waivers, times so many findings. A policy of a pull
// request may be made to take hours. Real ones stay under a hundredth of it.
const maxMatches = 20_000_000

// TooCostly says why a proposed policy is not asked about n findings, functions and files; empty: it is.
func TooCostly(proposed *policy.Policy, n int) string {
	if proposed.MatchCost()*(1+n) <= maxMatches {
		return ""
	}
	return "the policy has so many globs and waivers, and the change so many findings and functions, that it would take long; `specgate policy simulate` takes the time"
}

// proposal is a policy that a change proposes, or somebody would like to have.
type proposal struct {
	ref    checks.PolicyRef
	policy *policy.Policy // nil: it has errors, or cannot be read
	errors []checks.PolicyError
	// file is where it is on this machine; empty: it is the head's.
	file string
}

// proposed is the policy of head; nil if that is the one that judges.
func (r *runner) proposed() (*proposal, error) {
	text, found, err := policyText(r.ctx, r.sides.head, "head")
	if !found {
		if err != nil || r.policy.SHA256 == "" {
			return nil, err
		}
		p := policy.Default()
		return &proposal{ref: checks.PolicyRef{Source: p.Source}, policy: p}, nil
	}
	ref := checks.PolicyRef{Source: r.sides.headName + ":" + policy.FileName}
	if input := (*InputError)(nil); errors.As(err, &input) {
		return &proposal{ref: ref, errors: []checks.PolicyError{{File: policy.FileName, Span: atStart, Message: input.Error()}}}, nil
	}
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(text); r.policy.SHA256 == hex.EncodeToString(sum[:]) {
		return nil, nil
	}
	return propose(ref, policy.FileName, text), nil
}

func propose(ref checks.PolicyRef, file string, text []byte) *proposal {
	sum := sha256.Sum256(text)
	ref.SHA256 = hex.EncodeToString(sum[:])
	p, err := policy.Parse(file, text, RuleInfos())
	if err == nil {
		p.Source = ref.Source
		return &proposal{ref: ref, policy: p}
	}
	out := &proposal{ref: ref}
	var found policy.Diagnostics
	if !errors.As(err, &found) {
		out.errors = []checks.PolicyError{{File: file, Span: atStart, Message: err.Error()}}
	}
	for _, d := range found {
		out.errors = append(out.errors, checks.PolicyError{File: file, Span: d.Range, Message: d.Message})
	}
	return out
}

// simulation is what the policy that the change proposes would make of it; nil where base's policy does not judge, or is the same. What was
// found is judged anew, and nothing is run. It fails in no way that the check would notice.
func (r *runner) simulation() *checks.Simulation {
	if r.o.Policy != "" {
		return nil
	}
	p, err := r.proposed()
	if err != nil {
		p = &proposal{ref: checks.PolicyRef{Source: r.sides.headName + ":" + policy.FileName}}
		return r.notSimulated(p, fmt.Sprintf("the policy of head could not be read: %v", err))
	}
	if p == nil {
		return nil
	}
	return r.simulate(p, false)
}

// notSimulated is a simulation that says no more than why there is none.
func (r *runner) notSimulated(p *proposal, why string) *checks.Simulation {
	return &checks.Simulation{Policy: p.ref, Errors: p.errors, NotSimulated: why, Before: r.judgement()}
}

// simulate compares what the policy made of the change with what the proposed one would. anew: what that would have run otherwise is run.
func (r *runner) simulate(p *proposal, anew bool) *checks.Simulation {
	if p.policy == nil {
		return r.notSimulated(p, "")
	}
	// The rules that look for old trust go through all of it, once for each waiver.
	if why := TooCostly(p.policy, len(r.undecided.findings)+len(r.pairs.Functions)+len(r.changes)); why != "" && !anew {
		return r.notSimulated(p, why)
	}
	by := r.o.applied(p.policy)
	settings := r.settings(p.policy, by)
	rerun := slices.ContainsFunc(settings, func(s checks.SettingChange) bool { return !s.Shown })
	again, err := r.judgedBy(by, p, !anew)
	if rerun && anew && err == nil {
		again, err = r.runBy(by, p)
		for i := range settings {
			settings[i].Shown = true
		}
	}
	if late := timedOut(r.ctx); late != nil {
		return r.notSimulated(p, fmt.Sprintf("the time limit of %v ran out", late.After))
	}
	if err != nil {
		return r.notSimulated(p, fmt.Sprintf("judging by it failed: %v", err))
	}
	after := again.judgement()
	out := &checks.Simulation{Policy: p.ref, Before: r.judgement(), After: &after, Settings: settings,
		Findings: compareFindings(r, again), Reasons: compareReasons(r.report.Reasons, again.report.Reasons)}
	out.Count()
	return out
}

// judgedBy has another policy judge what was found. Rules whose thresholds the policy sets run anew; they run no program.
// bounded: it fails where the policy's waivers would take long.
func (r *runner) judgedBy(by *policy.Policy, p *proposal, bounded bool) (*runner, error) {
	again := *r
	out := &again
	out.propose(by, p)
	out.bounded = bounded
	out.report = out.newReport()
	out.report.Reasons, out.report.Tools, out.blocked = slices.Clone(r.undecided.reasons), r.undecided.tools, r.undecided.blocked
	findings := r.undecided.findings
	if in := r.input.Strength; in != nil {
		measured := func(f checks.Finding) bool { return needsSuite(f.Rule) }
		findings = slices.DeleteFunc(slices.Clone(findings), measured)
		anew, err := checks.Run(r.ctx, slices.DeleteFunc(r.rules(), func(rule *checks.Rule) bool { return rule.Needs&checks.NeedSuite == 0 }),
			&checks.Input{Pairs: r.pairs, Files: r.input.Files, Proof: r.input.Proof, Strength: thresholds(by, in.Functions)})
		if err != nil {
			return nil, err
		}
		findings = append(findings, anew...)
		checks.SortFindings(findings)
	}
	_, err := out.decide(findings)
	return out, err
}

func needsSuite(id string) bool {
	return slices.ContainsFunc(Rules(), func(r *checks.Rule) bool { return r.ID == id && r.Needs&checks.NeedSuite != 0 })
}

// runBy runs everything anew under another policy, on the same trees.
func (r *runner) runBy(by *policy.Policy, p *proposal) (*runner, error) {
	out := &runner{o: r.o, ctx: r.ctx, work: &work{}, sides: r.sides, families: r.families, changes: r.changes, base: r.base, head: r.head}
	out.propose(by, p)
	_, err := out.check()
	return out, err
}

// propose puts a policy in the place of the one that judges.
func (r *runner) propose(by *policy.Policy, p *proposal) {
	r.policy, r.written = by, p.policy
	r.o.Policy, r.ofHead = p.file, p.file == ""
}

// judgement is what the policy made of the change.
func (r *runner) judgement() checks.Judgement {
	out := checks.Judgement{Outcome: r.report.Outcome}
	for i := range r.report.Findings {
		if r.blocks(&r.report.Findings[i]) {
			out.Blocking++
		}
	}
	switch out.Outcome {
	case checks.OutcomePass:
		out.Passes = true
	case checks.OutcomeInconclusive:
		out.Passes = r.policy.Gate.Inconclusive != policy.InconclusiveFail
	}
	return out
}

func (r *runner) blocks(f *checks.Finding) bool {
	return f.Waived == nil && r.policy.Gate.FailOn.Reached(f.Severity)
}

// settings are the differences between the two policies, as they are written, and whether what they do to this change can be told without
// running anything. by is the proposed one as it applies.
func (r *runner) settings(proposed, by *policy.Policy) []checks.SettingChange {
	var out []checks.SettingChange
	verifies := r.o.Verifier != nil && (slices.Contains(r.families, checks.Proof) || slices.Contains(r.families, checks.Contract)) &&
		(r.found || by.Verus.Release != "")
	measures := r.o.Compiler != nil && slices.Contains(r.families, checks.Strength) && slices.ContainsFunc(r.pairs.Functions, r.measurable)
	for _, d := range policy.Compare(r.written, proposed, RuleInfos()) {
		s := checks.SettingChange{Key: d.Key, Before: d.BeforeText(), After: d.AfterText(), Direction: d.Direction}
		switch table, _, _ := strings.Cut(d.Key, "."); {
		case d.Key == "strength.seed" && r.o.Seed != nil, r.o.Confine && (d.Key == "gate.sandbox" || d.Key == "verus.read"):
			s.Shown = true // the options go before it
		case table == "verus":
			s.Shown = !verifies || strings.HasPrefix(d.Key, "verus.sha256.") || d.Key == "verus.seeds" && r.proofs == nil
		case d.Key == "gate.sandbox":
			s.Shown = !verifies && !measures
		case d.Key == "strength.min" || d.Key == "strength.max-drop":
			s.Shown = true
		case table == "strength":
			s.Shown = !measures
		case d.Key == "scope.include" || d.Key == "scope.exclude":
			s.Shown = !verifies && !measures || !r.otherwiseAbout(by)
		default:
			s.Shown = true
		}
		out = append(out, s)
	}
	return out
}

// otherwiseAbout tells whether a policy's scope has other functions of the change in it, about which more, or less, would be asked.
func (r *runner) otherwiseAbout(by *policy.Policy) bool {
	other := *r
	other.policy = by
	return slices.ContainsFunc(r.pairs.Functions, func(p *pair.Function) bool { return r.about(p.Head, p.Base) != other.about(p.Head, p.Base) })
}

// compareFindings lists the findings of which the two policies make something else. What a finding is about is its fingerprint.
func compareFindings(before, after *runner) []checks.FindingChange {
	byPrint := map[string]*checks.FindingChange{}
	var order []*checks.FindingChange
	for _, side := range []*runner{before, after} {
		for i := range side.report.Findings {
			f := &side.report.Findings[i]
			c := byPrint[f.Fingerprint]
			if c == nil {
				c = &checks.FindingChange{Rule: f.Rule, Symbol: f.Symbol, File: f.File, Span: f.Span, Message: f.Message, Fingerprint: f.Fingerprint}
				byPrint[f.Fingerprint] = c
				order = append(order, c)
			}
			state := &checks.FindingState{Severity: f.Severity, Waived: f.Waived, Blocks: side.blocks(f)}
			if side == before {
				c.Before = state
			} else {
				c.After = state
			}
		}
	}
	var out []checks.FindingChange
	for _, c := range order {
		if !sameState(c.Before, c.After) {
			out = append(out, *c)
		}
	}
	slices.SortStableFunc(out, func(a, b checks.FindingChange) int { return a.Compare(&b) })
	return out
}

func sameState(a, b *checks.FindingState) bool {
	if a == nil || b == nil {
		return a == b
	}
	waiver := func(s *checks.FindingState) string {
		if s.Waived == nil {
			return ""
		}
		return s.Waived.ID
	}
	return a.Severity == b.Severity && a.Blocks == b.Blocks && waiver(a) == waiver(b)
}

// compareReasons lists the reasons that only one side gives: base's policy's first.
func compareReasons(before, after []checks.Reason) []checks.ReasonChange {
	var out []checks.ReasonChange
	for _, side := range []struct {
		change      string
		mine, other []checks.Reason
	}{{"removed", before, after}, {"added", after, before}} {
		for _, reason := range side.mine {
			if !slices.Contains(side.other, reason) {
				out = append(out, checks.ReasonChange{Change: side.change, Reason: reason})
			}
		}
	}
	return out
}

// Simulate judges a change by base's policy and by another: that of the head, or that in a file. Where the other would have something else run,
// everything is run a second time, under it. Of the options, Policy must be empty.
//
// The report's simulation is nil if the two policies are the same.
func Simulate(ctx context.Context, o Options, file string) (*checks.SimulationReport, error) {
	return inTime(ctx, o.Timeout, func(ctx context.Context) (*checks.SimulationReport, error) { return simulate(ctx, o, file) })
}

func simulate(ctx context.Context, o Options, file string) (*checks.SimulationReport, error) {
	r, err := start(ctx, o)
	if err != nil {
		return nil, err
	}
	out := &checks.SimulationReport{Schema: checks.Schema, Specgate: checks.Build{Version: o.Version}, Base: checks.Revision{Rev: r.sides.baseName},
		Head: checks.Revision{Rev: r.sides.headName}, Policy: checks.PolicyRef{Source: r.policy.Source, SHA256: r.policy.SHA256}, Seed: r.policy.Strength.Seed}
	var p *proposal
	if file == "" {
		p, err = r.proposed()
	} else {
		var text []byte
		if text, err = os.ReadFile(file); err != nil {
			return nil, &InputError{fmt.Errorf("read the proposed policy: %w", err)}
		}
		if p = propose(checks.PolicyRef{Source: file}, file, text); p.ref.SHA256 == out.Policy.SHA256 {
			p = nil
		} else {
			p.file = file
		}
	}
	if p == nil || err != nil {
		return out, err
	}
	if _, err := r.check(); err != nil {
		return nil, err
	}
	out.Tools = r.report.Tools
	out.Simulation = r.simulate(p, true)
	return out, nil
}
