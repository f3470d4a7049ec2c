package checks

import (
	"cmp"
	"io"

	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

// Simulation says what the policy that a change proposes would make of the change itself. The change is judged by base's policy all the same.
type Simulation struct {
	// Policy is the proposed one.
	Policy PolicyRef `json:"policy"`
	// Errors make the proposed policy unusable, so that nothing is known of what it would make of the change.
	Errors []PolicyError `json:"errors"`
	// NotSimulated says why nothing is known of that although the policy is valid; empty: it is known.
	NotSimulated string `json:"notSimulated"`
	// Before is what base's policy makes of the change, After what the proposed one would; nil: it is not known.
	Before Judgement  `json:"before"`
	After  *Judgement `json:"after"`
	// Passes counts the findings that block by base's policy and would not by the proposed one, Stops those that would and do not.
	Passes int `json:"passes"`
	Stops  int `json:"stops"`
	// Settings are what differs between the two policies, in the order of policy.Compare.
	Settings []SettingChange `json:"settings"`
	// Findings are those of which the policies make something else, in the order of Compare.
	Findings []FindingChange `json:"findings"`
	// Reasons are those that only one of the two gives.
	Reasons []ReasonChange `json:"reasons"`
}

// PolicyError is a mistake in a policy file.
type PolicyError struct {
	File    string       `json:"file"`
	Span    source.Range `json:"span"`
	Message string       `json:"message"`
}

// Judgement is what a policy makes of a change: its outcome, how many findings block, and whether it lets the change pass.
type Judgement struct {
	Outcome  Outcome `json:"outcome"`
	Blocking int     `json:"blocking"`
	Passes   bool    `json:"passes"`
}

// SettingChange is one setting of the policy that differs. The values are written as in TOML; nil: not set, and there is no default.
type SettingChange struct {
	Key       string           `json:"key"`
	Before    *string          `json:"before"`
	After     *string          `json:"after"`
	Direction policy.Direction `json:"direction"`
	// Shown says that what the setting does to this change is in the simulation. Otherwise it would have something else run, which was not.
	Shown bool `json:"shown"`
}

// FindingChange is a finding of which the two policies make something else.
type FindingChange struct {
	Rule        string       `json:"rule"`
	Symbol      string       `json:"symbol"`
	File        string       `json:"file"`
	Span        source.Range `json:"span"`
	Message     string       `json:"message"`
	Fingerprint string       `json:"fingerprint"`
	// Before and After are nil where the finding is not reported.
	Before *FindingState `json:"before"`
	After  *FindingState `json:"after"`
}

// FindingState is what a policy makes of a finding.
type FindingState struct {
	Severity policy.Severity `json:"severity"`
	Waived   *WaiverRef      `json:"waived"`
	Blocks   bool            `json:"blocks"`
}

// Passes tells a finding that blocks before and not after, Stops one that blocks after and not before.
func (f *FindingChange) Passes() bool {
	return f.Before != nil && f.Before.Blocks && (f.After == nil || !f.After.Blocks)
}

func (f *FindingChange) Stops() bool {
	return f.After != nil && f.After.Blocks && (f.Before == nil || !f.Before.Blocks)
}

// Compare orders by file, position, rule and fingerprint.
func (f *FindingChange) Compare(g *FindingChange) int {
	return cmp.Or(cmp.Compare(f.File, g.File), comparePosition(f.Span.Start, g.Span.Start), comparePosition(f.Span.End, g.Span.End), cmp.Compare(f.Rule, g.Rule),
		cmp.Compare(f.Symbol, g.Symbol), cmp.Compare(f.Fingerprint, g.Fingerprint))
}

// ReasonChange is a reason that only one of two policies gives. Change is "added" for the proposed one's, "removed" for base's.
type ReasonChange struct {
	Change string `json:"change"`
	Reason
}

// Count fills in Passes and Stops.
func (s *Simulation) Count() {
	s.Passes, s.Stops = 0, 0
	for i := range s.Findings {
		if s.Findings[i].Passes() {
			s.Passes++
		}
		if s.Findings[i].Stops() {
			s.Stops++
		}
	}
}

// filled has [] for lists without entries.
func (s *Simulation) filled() *Simulation {
	if s == nil {
		return nil
	}
	out := *s
	out.Errors = orEmpty(out.Errors)
	out.Settings = orEmpty(out.Settings)
	out.Findings = orEmpty(out.Findings)
	out.Reasons = orEmpty(out.Reasons)
	return &out
}

// SimulationReport is what `specgate policy simulate` found out.
type SimulationReport struct {
	Schema   int       `json:"schema"`
	Specgate Build     `json:"specgate"`
	Base     Revision  `json:"base"`
	Head     Revision  `json:"head"`
	Policy   PolicyRef `json:"policy"`
	Tools    Tools     `json:"tools"`
	Seed     uint64    `json:"seed"`
	// Simulation is nil when head has base's policy.
	Simulation *Simulation `json:"simulation"`
}

// WriteJSON writes it, indented, with a final line end.
func (r *SimulationReport) WriteJSON(w io.Writer) error {
	out := *r
	out.Simulation = r.Simulation.filled()
	return writeJSON(w, "simulation", &out)
}
