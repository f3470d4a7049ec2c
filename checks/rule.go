// Package checks holds what a rule, a finding and a report are. The rules themselves live in the packages below, one a family,
// and the list of all of them in checks/registry.
package checks

import (
	"strings"

	"github.com/specgate/specgate/internal/policy"
)

// Family is a group of rules about one question. It is the first part of a rule's ID.
type Family string

const (
	Trust    Family = "trust"    // what is believed without proof
	Edit     Family = "edit"     // what changed in the code that runs
	Contract Family = "contract" // what the contracts promise and demand
	Proof    Family = "proof"    // whether the code still verifies
	Strength Family = "strength" // how much the contracts rule out
)

// Families in the order of reports.
func Families() []Family { return []Family{Trust, Edit, Contract, Proof, Strength} }

// Needs says what a rule must have to be decided. A rule whose needs are not met does not run; that its stage was
// not measured is a reason in the report.
type Needs uint8

const (
	NeedHead     Needs = 1 << iota // the head tree
	NeedBase                       // the base tree
	NeedPair                       // functions paired across the two
	NeedVerifier                   // a run of the verifier
	NeedSuite                      // a suite of spectests
)

var needNames = [...]string{"head", "base", "pair", "verifier", "suite"}

// String lists the needs, separated by commas.
func (n Needs) String() string {
	var out []string
	for i, name := range needNames {
		if n&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}

// Example is a small change. It is printed in the documentation, and a test runs the rules over it.
type Example struct {
	// Base and Head are the two sides of one file.
	Base, Head string
	// File is the path of that file; empty means src/lib.rs.
	File string
	// Symbol is where the rule reports. It is not used by an example that stays quiet.
	Symbol string
}

// InVerus is the text of a file for examples: items, and around them what Verus code has.
func InVerus(items string) string {
	return "use vstd::prelude::*;\n\nverus! {\n\n" + items + "\n\n} // verus!\n"
}

// Weight is the severity that some findings of a rule have by default instead of the rule's own.
type Weight struct {
	Severity policy.Severity
	// When completes the sentence "an error ...", such as "below strength.min".
	When string
}

// String is the severity and when it applies.
func (w Weight) String() string { return w.Severity.String() + " " + w.When }

// Rule is data plus one function. Rules hold no state: Run may be called from several goroutines at once.
type Rule struct {
	// ID is family/name, such as "trust/assume". It never changes its meaning.
	ID     string
	Family Family
	// Severity applies where the policy says nothing, except to the findings that Otherwise is about.
	Severity  policy.Severity
	Otherwise []Weight
	// Purpose is one sentence.
	Purpose string
	// Why says what goes wrong when the finding is ignored.
	Why   string
	Needs Needs
	// Undecidable says that findings may be Undecided. A report does not tell which of them are.
	Undecidable bool
	// Fires and Quiet are executed by a test: the first must report, the second must not.
	Fires, Quiet Example
	// Remedy says what to do about a finding.
	Remedy string
	// Mirror is the ID of the rule that reports the opposite change. NoMirror is the reason why there is none; exactly one is set.
	Mirror, NoMirror string
	// Run reports findings through its argument.
	Run func(*Pass)
}

// Weights are all severities that findings of the rule have by default, as a phrase: the rule's own, and when it is another.
func (r *Rule) Weights() string {
	out := r.Severity.String()
	for _, w := range r.Otherwise {
		out += "; " + w.String()
	}
	return out
}
