// Package policy reads the policy file of a repository, .specgate.toml, and
// decides from it how severe a finding is, whether it is waived, and which
// files are looked at.
//
// Reading is strict: whatever the file says that specgate would not act on is
// an error with a place, and all errors are reported together. Deciding is a
// pure function of the policy, the finding and a date that the caller gives.
package policy

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/specgate/specgate/internal/source"
)

// FileName is the name of the policy file in the root of a repository.
const FileName = ".specgate.toml"

// Version is the only version of the format that this package reads.
const Version = 1

// Policy is a policy file, every key that it leaves out filled with its
// default. Each key is described in docs/policy.md.
type Policy struct {
	// Source says where the policy came from. Default sets "default", Parse the
	// path that it was given; a caller who knows the revision makes it path@rev.
	Source string
	// SHA256 of the file's text in hexadecimal; empty when there is no file.
	SHA256 string

	Verus    Verus
	Gate     Gate
	Report   Report
	Scope    Scope
	Strength Strength
	Cache    Cache
	// Rules, Paths and Waivers are in the order of the file.
	Rules   []RuleSetting
	Paths   []PathOverride
	Waivers []Waiver

	// edits says what decided Scope.ExecutableEdits; zero when nothing in the
	// file did.
	edits Origin
	path  string
	file  *source.File
}

// Verus says how the verifier is found and run.
type Verus struct {
	// Release is the verifier's release, such as 0.2026.08.15.7d4628a; empty: the one on PATH.
	Release string
	// SHA256 are the hashes of the zips of Release, 64 lower-case hexadecimal digits, by platform: x86-linux, arm64-macos,
	// x86-macos or x86-win. Setting up the verifier installs nothing that has another hash. nil: none is given.
	SHA256 map[string]string
	// Manifest is the Cargo.toml for cargo verus; empty exactly when Roots is set.
	Manifest string
	// Roots are the .rs files to verify one by one, without Cargo.
	Roots []string
	// Args are passed on to the verifier.
	Args []string
	// Timeout of one run of the verifier, from a second to a day.
	Timeout time.Duration
	// Read are absolute paths outside the repository that an isolated run may read, besides those that it needs.
	Read []string
	// Seeds is with how many other seeds of the solver a proof that failed is tried again, from 0 to 10.
	Seeds int
}

// Gate says when specgate blocks.
type Gate struct {
	FailOn       FailOn
	Inconclusive Inconclusive
	// MinSuite is the number of decided spectests below which a function's
	// strength is inconclusive; at least 1.
	MinSuite int
	// Sandbox says what happens where a program of the change cannot be isolated in full.
	Sandbox Sandbox
}

// Report says what is written where.
type Report struct {
	Comments Comments
	// AnnotationsPerFunction is the most annotations that one function gets, from 1 to 50.
	AnnotationsPerFunction int
}

// Scope says which files and edits are judged.
type Scope struct {
	// Include and Exclude are globs of paths relative to the repository's root.
	// An empty Include is every file. Exclude wins over Include.
	Include         []string
	Exclude         []string
	ExecutableEdits ExecutableEdits
	// AllowExecutableEditsLabel is the label of a pull request that makes
	// ExecutableEdits allow; empty: no label does.
	AllowExecutableEditsLabel string
}

// Strength says how strong contracts must be and how that is measured.
type Strength struct {
	// Min is the least strength of a changed function, from 0 to 1.
	Min float64
	// MaxDrop is the most that strength may fall against the base, from 0 to 1.
	MaxDrop float64
	// Inputs is the number of inputs of a suite, from 1 to 10000.
	Inputs int
	// Mutants is the most mutants made of one function, from 0 to 10000.
	Mutants int
	// Seed of everything that is drawn at random.
	Seed uint64
	// Cases are globs of files with cases, relative to the repository's root, that join the suites. They are read from the base revision.
	Cases []string
	// CountDomain has inputs that the precondition excludes, and for which the function returns all the same, counted as wrong results that
	// are allowed.
	CountDomain bool
}

// Cache says what is kept of the verifier's answers.
type Cache struct {
	// WriteHead has answers about the head kept too, though its code is not accepted yet.
	WriteHead bool
	// MaxMiB is the most that is kept, in MiB, from 1 to 2^20.
	MaxMiB int
}

// RuleSetting gives a rule, or all rules of a family, a severity.
type RuleSetting struct {
	// Rule is a rule's id, such as trust/assume, or a family and a star: trust/*.
	Rule     string
	Severity Severity
	Where    source.Range
}

// PathOverride gives rules other severities in the files that Glob matches.
type PathOverride struct {
	Glob  string
	Rules []RuleSetting
	Where source.Range
}

// Waiver accepts the findings of a rule in a symbol until a day.
type Waiver struct {
	ID string
	// Rule is a rule's id or a family and a star.
	Rule string
	// Symbol is a symbol or a pattern of symbols; see MatchSymbol.
	Symbol string
	// File is a glob of the files that the findings are in. Empty: all, but of the crates that the symbol has in base only, which is for
	// the caller of Decide to know.
	File   string
	Reason string
	Owner  string
	// Expires is the last day on which the waiver applies.
	Expires Date
	// Where is the place of the id, ExpiresWhere that of the date.
	Where        source.Range
	ExpiresWhere source.Range
}

// FailOn is the least severity of a finding that blocks.
type FailOn string

const (
	FailOnError   FailOn = "error"
	FailOnWarning FailOn = "warning"
	FailOnNotice  FailOn = "notice"
	FailOnNever   FailOn = "never"
)

// Reached says whether a finding of severity s blocks.
func (f FailOn) Reached(s Severity) bool {
	switch f {
	case FailOnError:
		return s >= Error
	case FailOnWarning:
		return s >= Warning
	case FailOnNotice:
		return s >= Notice
	}
	return false
}

// Inconclusive says what happens when something could not be checked.
type Inconclusive string

const (
	InconclusiveFail   Inconclusive = "fail"
	InconclusiveWarn   Inconclusive = "warn"
	InconclusiveIgnore Inconclusive = "ignore"
)

// Sandbox says whether the isolation of what builds and runs the change may be incomplete.
type Sandbox string

const (
	// SandboxPrefer takes what the machine has, and says what is missing.
	SandboxPrefer Sandbox = "prefer"
	// SandboxRequire runs nothing of the change where something is missing.
	SandboxRequire Sandbox = "require"
	// SandboxOff isolates nothing.
	SandboxOff Sandbox = "off"
)

// Comments says whether specgate comments on a pull request.
type Comments string

const (
	CommentsOff    Comments = "off"
	CommentsSticky Comments = "sticky"
	CommentsReview Comments = "review"
)

// ExecutableEdits says how an edit of executable code is judged.
type ExecutableEdits string

const (
	ExecutableEditsAllow ExecutableEdits = "allow"
	ExecutableEditsWarn  ExecutableEdits = "warn"
	ExecutableEditsDeny  ExecutableEdits = "deny"
)

// Severity of the rules that ExecutableEdits decides: allow is a notice, warn
// a warning, deny an error.
func (e ExecutableEdits) Severity() Severity {
	switch e {
	case ExecutableEditsAllow:
		return Notice
	case ExecutableEditsWarn:
		return Warning
	case ExecutableEditsDeny:
		return Error
	}
	return 0
}

// Default is the policy of a repository that has no policy file.
func Default() *Policy {
	return &Policy{
		Source: "default",
		Verus: Verus{
			Manifest: "Cargo.toml",
			Timeout:  20 * time.Minute,
			Seeds:    2,
		},
		Gate: Gate{
			FailOn:       FailOnError,
			Inconclusive: InconclusiveFail,
			MinSuite:     8,
			Sandbox:      SandboxPrefer,
		},
		Report: Report{
			Comments:               CommentsOff,
			AnnotationsPerFunction: 4,
		},
		Scope: Scope{
			ExecutableEdits:           ExecutableEditsWarn,
			AllowExecutableEditsLabel: "implementation",
		},
		Strength: Strength{
			Min:     0.8,
			MaxDrop: 0,
			Inputs:  32,
			Mutants: 60,
		},
		Cache: Cache{
			MaxMiB: 1024,
		},
	}
}

// WithLabels is the policy for a pull request that has these labels: with the
// label of Scope.AllowExecutableEditsLabel among them, executable edits are
// allowed. p is not changed.
func (p *Policy) WithLabels(labels []string) *Policy {
	label := p.Scope.AllowExecutableEditsLabel
	if label == "" || !slices.Contains(labels, label) {
		return p
	}
	q := *p
	q.Scope.ExecutableEdits = ExecutableEditsAllow
	q.edits = Origin{Key: fmt.Sprintf("label %q", label)}
	return &q
}

// Recovery says what to do where the policy that judges changes is not valid: the change that corrects it is judged by it, too.
const Recovery = "to recover: correct " + FileName + " in a change of its own, look at that change by its own policy, with specgate check --policy " + FileName + ", and have it merged without this check"

// Check reports every waiver that has run out on the day today, as Diagnostics
// that stand at its date. It is what a repository's own check of its policy
// asks; in judging a change such a waiver merely does not apply.
func Check(p *Policy, today Date) error {
	var all Diagnostics
	for _, w := range p.Waivers {
		if w.Expired(today) {
			all = append(all, newDiagnostic(p.path, p.file, w.ExpiresWhere, fmt.Sprintf(
				"waiver `%s` ran out on %s; remove it, or review it again and set a new date", w.ID, w.Expires)))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// Date is a day of the calendar, without a time zone.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf is the day of t in t's location.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// Compare is negative if d is before e, positive if it is after, else 0.
func (d Date) Compare(e Date) int {
	return cmp.Or(cmp.Compare(d.Year, e.Year), cmp.Compare(d.Month, e.Month), cmp.Compare(d.Day, e.Day))
}

// String is the date as YYYY-MM-DD.
func (d Date) String() string {
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day)
}
