package engine

import (
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/registry"
	"github.com/specgate/specgate/internal/policy"
)

// The rules about the policy itself. They report what deciding found out, so they run behind the others and belong to no
// family that a command line can leave out.
const (
	waiverFamily    checks.Family = "policy"
	waiverExpired   string        = "policy/waiver-expired"
	waiverUnmatched string        = "policy/waiver-unmatched"
)

func waiverRules() []*checks.Rule {
	const none = "it is about the policy file, not about a change of code"
	return []*checks.Rule{{
		ID: waiverExpired, Family: waiverFamily, Severity: policy.Warning,
		Purpose:  "A waiver of the policy has run out, so it no longer applies.",
		Why:      "What it accepted is judged again, and a reader of the policy may think that it is not.",
		Remedy:   "Remove the waiver, or review what it accepts and set a new date.",
		NoMirror: none,
		Run:      func(*checks.Pass) {},
	}, {
		ID: waiverUnmatched, Family: waiverFamily, Severity: policy.Warning,
		Purpose:  "A waiver of the policy is about trust that is nowhere in the repository.",
		Why:      "It would silently accept such trust when somebody adds it later.",
		Remedy:   "Remove the waiver, or correct its rule or symbol.",
		NoMirror: none,
		Run:      func(*checks.Pass) {},
	}}
}

// Rules are all rules, in the order of reports.
func Rules() []*checks.Rule { return append(registry.Rules(), waiverRules()...) }

// RuleInfos is what the policy needs to know of Rules.
func RuleInfos() []policy.RuleInfo {
	var out []policy.RuleInfo
	for _, r := range Rules() {
		out = append(out, policy.RuleInfo{ID: r.ID, Severity: r.Severity})
	}
	return out
}
