package checks

import (
	"context"
	"fmt"

	"github.com/specgate/specgate/internal/pair"
	"github.com/specgate/specgate/internal/source"
)

// Input is the change as the rules see it. Rules read it and change nothing.
type Input struct {
	// Pairs holds both models and which function became which.
	Pairs *pair.Pairs
	// Files are the changed files that are not Rust sources of a crate: manifests, cargo configuration, toolchain files,
	// CI workflows, scripts, the policy. Sorted by path.
	Files []FileChange
}

// FileChange is one file on both sides. A moved file is one change.
type FileChange struct {
	// Base and Head are nil when that side has no such file; not both are.
	Base, Head *source.File
}

// Path of the file in head, or in base when head has none.
func (c FileChange) Path() string {
	if c.Head != nil {
		return c.Head.Path
	}
	return c.Base.Path
}

// Pass is one run of one rule: its only way to see the change and to report.
type Pass struct {
	*Input
	rule     *Rule
	findings *[]Finding
}

// Report adds a finding. Rule, severity and fingerprint are filled in here.
func (p *Pass) Report(f Finding) {
	f.Rule = p.rule.ID
	f.Severity = p.rule.Severity
	f.Fingerprint = fingerprint(f.Rule, f.Symbol, f.Change)
	*p.findings = append(*p.findings, f)
}

// Run runs the rules over a change, in order, and returns their findings, sorted. Severities are the rules' own: the policy
// is applied later. It stops between two rules when ctx is done.
func Run(ctx context.Context, rules []*Rule, in *Input) ([]Finding, error) {
	var out []Finding
	for _, r := range rules {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("run rule %s: %w", r.ID, err)
		}
		r.Run(&Pass{Input: in, rule: r, findings: &out})
	}
	SortFindings(out)
	return out, nil
}
