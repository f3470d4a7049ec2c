package checks

import (
	"context"
	"fmt"
	"slices"
	"sync"

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
	// PolicyErrors are the mistakes of the policy that head has and base has not.
	PolicyErrors []PolicyError
	// Proof is what the verifier said; nil when it was not asked. Rules that need the verifier then report nothing.
	Proof *ProofInput
	// Strength is what was measured; nil when nothing was. Rules that need a suite then report nothing.
	Strength *StrengthInput

	ctx  context.Context // of the run, so that long work of a rule can end early
	mu   sync.Mutex
	memo map[string]any
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

// Report adds a finding. Rule and fingerprint are filled in here, and the rule's severity when the finding has none of its own.
func (p *Pass) Report(f Finding) {
	f.Rule = p.rule.ID
	if f.Severity == 0 {
		f.Severity = p.rule.Severity
	}
	f.Fingerprint = f.fingerprint(1)
	*p.findings = append(*p.findings, f)
}

// Done tells that the run was given up: what rules still find is thrown away.
func (in *Input) Done() bool { return in.ctx != nil && in.ctx.Err() != nil }

// Memo returns what make returned the first time that this change was asked for key: a result that several rules share.
func (in *Input) Memo(key string, make func() any) any {
	in.mu.Lock()
	defer in.mu.Unlock()
	if v, ok := in.memo[key]; ok {
		return v
	}
	v := make()
	if in.memo == nil {
		in.memo = map[string]any{}
	}
	in.memo[key] = v
	return v
}

// Run runs the rules over a change, in order, and returns their findings, sorted. Severities are the rules' own: the policy
// is applied later. It stops between two rules when ctx is done.
func Run(ctx context.Context, rules []*Rule, in *Input) ([]Finding, error) {
	var out []Finding
	in.ctx = ctx
	for _, r := range rules {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("run rule %s: %w", r.ID, err)
		}
		n := len(out)
		r.Run(&Pass{Input: in, rule: r, findings: &out})
		if !r.Undecidable && slices.ContainsFunc(out[n:], func(f Finding) bool { return f.Undecided }) {
			return nil, fmt.Errorf("run rule %s: it reports what could not be decided, and is not said to", r.ID)
		}
	}
	SortFindings(out)
	// Equal changes at one symbol are told apart by their order.
	seen := map[string]int{}
	for i := range out {
		f := &out[i]
		if n := seen[f.Fingerprint] + 1; n > 1 {
			seen[f.Fingerprint] = n
			f.Fingerprint = f.fingerprint(n)
		} else {
			seen[f.Fingerprint] = 1
		}
	}
	return out, nil
}
