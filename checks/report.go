package checks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/specgate/specgate/internal/source"
)

// Schema is the version of Report's JSON. It grows when a key changes its meaning or goes away.
const Schema = 1

// Outcome is the verdict on a change. The zero value is invalid.
type Outcome uint8

const (
	OutcomePass         Outcome = iota + 1 // everything was checked and nothing blocks
	OutcomeFindings                        // a finding at or above the policy's fail-on
	OutcomeInconclusive                    // something that had to be checked could not be
	OutcomeError                           // specgate itself failed
)

var outcomeNames = [...]string{"", "pass", "findings", "inconclusive", "error"}

// String is the word of the report.
func (o Outcome) String() string {
	if o >= OutcomePass && o <= OutcomeError {
		return outcomeNames[o]
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// MarshalText gives the word of the report; an invalid outcome is an error.
func (o Outcome) MarshalText() ([]byte, error) {
	if o < OutcomePass || o > OutcomeError {
		return nil, fmt.Errorf("marshal outcome %d: not an outcome", uint8(o))
	}
	return []byte(outcomeNames[o]), nil
}

// UnmarshalText reads the word of the report.
func (o *Outcome) UnmarshalText(text []byte) error {
	for v := OutcomePass; v <= OutcomeError; v++ {
		if outcomeNames[v] == string(text) {
			*o = v
			return nil
		}
	}
	return fmt.Errorf("read outcome %q: want pass, findings, inconclusive or error", text)
}

// Report is everything that one run found out. Its JSON never leaves a key out: what is not known is null, a list without
// entries is [].
type Report struct {
	Schema   int       `json:"schema"`
	Specgate Build     `json:"specgate"`
	Base     Revision  `json:"base"`
	Head     Revision  `json:"head"`
	Policy   PolicyRef `json:"policy"`
	Tools    Tools     `json:"tools"`
	Seed     uint64    `json:"seed"`
	Outcome  Outcome   `json:"outcome"`
	Reasons  []Reason  `json:"reasons"`
	Counts   Counts    `json:"counts"`
	Score    Score     `json:"score"`
	// Simulation is what the policy that the change proposes would make of the change; nil: it does not change the policy, or was not judged
	// by base's. It decides nothing.
	Simulation *Simulation `json:"simulation"`
	// Functions are those of the change, by file and position.
	Functions []Function `json:"functions"`
	// Findings are sorted by SortFindings.
	Findings []Finding `json:"findings"`
}

// Build says which specgate wrote the report.
type Build struct {
	Version string `json:"version"`
}

// Revision is one side of the comparison: a commit, or "working tree".
type Revision struct {
	Rev string `json:"rev"`
}

// PolicyRef says where the policy came from ("default", or REV:PATH) and what its bytes hash to (empty for the default).
type PolicyRef struct {
	Source string `json:"source"`
	SHA256 string `json:"sha256"`
}

// Tools that took part; nil: not found, or not needed.
type Tools struct {
	Verus *VerusTool `json:"verus"`
	Rustc *Tool      `json:"rustc"`
	// Sandbox is what bounded the programs that ran code of the change; nil when none was isolated.
	Sandbox *Sandbox `json:"sandbox"`
}

// Sandbox is the isolation of programs that ran code of the change.
type Sandbox struct {
	// Statement says it in one line.
	Statement   string       `json:"statement"`
	Protections []Protection `json:"protections"`
}

// Protection is one way in which a program is bounded: whether it was on, and what holds, or why not.
type Protection struct {
	Name   string `json:"name"`
	On     bool   `json:"on"`
	Detail string `json:"detail"`
}

// Tool is a program with the version it prints.
type Tool struct {
	Version string `json:"version"`
}

// VerusTool is the verifier with what it depends on.
type VerusTool struct {
	Version   string `json:"version"`
	Toolchain string `json:"toolchain"`
	Solver    string `json:"solver"`
	Cached    Cached `json:"cached"`
}

// Cached says of which sides the verifier's answer was known from an earlier run, so that it was not run.
type Cached struct {
	Base bool `json:"base"`
	Head bool `json:"head"`
}

// Reason says why an outcome is not a pass.
type Reason struct {
	// Stage is the part of the run: "parse", "policy", "proof", "strength", ...
	Stage string `json:"stage"`
	Text  string `json:"text"`
}

// Counts of functions. Selected is the sum of the others: each function is in exactly one of them.
type Counts struct {
	Selected      int `json:"selected"`
	Proved        int `json:"proved"`
	Failed        int `json:"failed"`
	TimedOut      int `json:"timedOut"`
	InternalError int `json:"internalError"`
	Unsupported   int `json:"unsupported"`
	Skipped       int `json:"skipped"`
}

// Score of the whole change, each part in [0, 1] and nil when nothing was measured.
type Score struct {
	Base  *float64 `json:"base"`
	Head  *float64 `json:"head"`
	Delta *float64 `json:"delta"`
	// Comparable tells that both sides were measured on the same suites.
	Comparable bool `json:"comparable"`
	// PassRate is proved / attempted.
	PassRate *float64 `json:"passRate"`
	// CompletenessOfProved is the mean strength over the proved functions, CompletenessOfAll over the attempted ones.
	CompletenessOfProved *float64 `json:"completenessOfProved"`
	CompletenessOfAll    *float64 `json:"completenessOfAll"`
}

// Function is what the report says of one function.
type Function struct {
	// Symbol is the crate-relative Rust path with the impl's type and trait: stack::Stack::push, <User as Ident>::ident.
	Symbol string `json:"symbol"`
	// File and Span are in head; in base for a removed function.
	File string       `json:"file"`
	Span source.Range `json:"span"`
	// Change is "added", "removed", "changed", "moved" or "same".
	Change string `json:"change"`
	// Executable is "same", "changed", "added" or "removed".
	Executable string           `json:"executable"`
	Contract   FunctionContract `json:"contract"`
	Trust      TrustDelta       `json:"trust"`
	Proof      FunctionProof    `json:"proof"`
	Strength   FunctionStrength `json:"strength"`
	Score      FunctionScore    `json:"score"`
}

// FunctionContract compares the head contract with base's.
type FunctionContract struct {
	// Direction is "equal", "stronger", "weaker", "incomparable" or "unknown"; "none" when one side has no such function.
	Direction string `json:"direction"`
	// By says what decided it: "syntax" (the texts alone), "witness" (a concrete case), "proof" (the verifier) or "none".
	By string `json:"by"`
	// Undecided are the statements that the direction is made of and that were neither shown nor refuted.
	Undecided []OpenQuestion `json:"undecided"`
	// Unique tells that the verifier proved that head's contract allows one result at most for each input; nil: it is not known.
	Unique  *bool    `json:"unique"`
	Clauses []Clause `json:"clauses"`
}

// OpenQuestion is a question without an answer.
type OpenQuestion struct {
	Question string `json:"question"`
	// Why nobody knows, in a few words.
	Why string `json:"why"`
}

// Clause is one expression of a contract, on the side or sides that have it.
type Clause struct {
	// Kind is the keyword: requires, ensures, returns, ...
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Change is "same", "added" or "removed".
	Change string `json:"change"`
}

// TrustDelta lists the trust sites that one side has and the other has not.
type TrustDelta struct {
	Added   []TrustSite `json:"added"`
	Removed []TrustSite `json:"removed"`
}

// TrustSite is a place where something is believed without proof.
type TrustSite struct {
	// Kind is the rule's name without its family: assume, external-body, ...
	Kind string       `json:"kind"`
	Text string       `json:"text"`
	File string       `json:"file"`
	Span source.Range `json:"span"`
}

// FunctionProof is the verifier's verdict on both sides: "proved", "failed", "timed-out", "internal-error", "unsupported",
// "skipped", or "not-run".
type FunctionProof struct {
	Base   string       `json:"base"`
	Head   string       `json:"head"`
	Errors []ProofError `json:"errors"`
	// Seeds tells how head's proof, which failed, went with other seeds of the solver; nil: none was tried. One that was found with some of
	// them is unstable.
	Seeds *SeedRuns `json:"seeds"`
}

// ProofError is one complaint of the verifier about head.
type ProofError struct {
	Category string       `json:"category"`
	Message  string       `json:"message"`
	File     string       `json:"file"`
	Span     source.Range `json:"span"`
}

// FunctionStrength is the strength of both sides; nil: not measured.
type FunctionStrength struct {
	Base *SuiteResult `json:"base"`
	Head *SuiteResult `json:"head"`
	// Delta is head's strength less base's over the spectests that both decide; nil when they are not comparable.
	Delta *float64 `json:"delta"`
	// Comparable tells that both contracts were asked about the same spectests.
	Comparable bool `json:"comparable"`
}

// SuiteResult counts the spectests of one suite by verdict. Low, Value and High are in [0, 1].
type SuiteResult struct {
	Rejected  int `json:"rejected"`
	Escaped   int `json:"escaped"`
	Undecided int `json:"undecided"`
	Total     int `json:"total"`
	// Value is rejected / decided; nil when nothing was decided.
	Value *float64 `json:"value"`
	Low   float64  `json:"low"`
	High  float64  `json:"high"`
	// Label is "empirical" or "proved".
	Label string `json:"label"`
	// Inputs is how many inputs the function gave a result for.
	Inputs int `json:"inputs"`
	// BySource tells the spectests by where the wrong results come from. What the policy wants counted of Domain is in no source.
	BySource BySource     `json:"bySource"`
	Domain   DomainResult `json:"domain"`
	Mutants  Mutants      `json:"mutants"`
	// Clauses tell what each clause of the contract rejects by itself.
	Clauses []ClauseUse `json:"clauses"`
}

// BySource counts spectests by the source of the wrong result: an observed result that was edited, a mutant, a case file.
type BySource struct {
	Edits   Tally `json:"edits"`
	Mutants Tally `json:"mutants"`
	Given   Tally `json:"given"`
}

// DomainResult counts inputs that the precondition excludes: those that were tried, those for which the function returned all the same, and those
// that count as spectests that escaped.
type DomainResult struct {
	Tried    int `json:"tried"`
	Returned int `json:"returned"`
	Counted  int `json:"counted"`
}

// Mutants counts by fate. Differing is killed + survived + undecided.
type Mutants struct {
	Generated int `json:"generated"`
	Differing int `json:"differing"`
	Killed    int `json:"killed"`
	Survived  int `json:"survived"`
	Undecided int `json:"undecided"`
}

// FunctionScore is the gated reward of a function on both sides, in [0, 1]; nil: not applicable or not measured.
type FunctionScore struct {
	Base  *float64 `json:"base"`
	Head  *float64 `json:"head"`
	Delta *float64 `json:"delta"`
}

// MarshalJSON writes [] for lists without entries.
func (r Report) MarshalJSON() ([]byte, error) {
	type plain Report
	p := plain(r)
	p.Reasons = orEmpty(p.Reasons)
	p.Findings = orEmpty(p.Findings)
	p.Simulation = p.Simulation.filled()
	p.Functions = orEmpty(slices.Clone(p.Functions))
	for i := range p.Functions {
		f := &p.Functions[i]
		f.Contract.Clauses = orEmpty(f.Contract.Clauses)
		f.Contract.Undecided = orEmpty(f.Contract.Undecided)
		f.Trust.Added = orEmpty(f.Trust.Added)
		f.Trust.Removed = orEmpty(f.Trust.Removed)
		f.Proof.Errors = orEmpty(f.Proof.Errors)
		for _, s := range []**SuiteResult{&f.Strength.Base, &f.Strength.Head} {
			if *s != nil {
				suite := **s
				suite.Clauses = orEmpty(suite.Clauses)
				*s = &suite
			}
		}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return nil, fmt.Errorf("write report: %w", err)
	}
	return buf.Bytes(), nil
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// Sort puts functions and findings into the order of the report.
func (r *Report) Sort() {
	slices.SortFunc(r.Functions, func(a, b Function) int {
		return cmp.Or(cmp.Compare(a.File, b.File), comparePosition(a.Span.Start, b.Span.Start), cmp.Compare(a.Symbol, b.Symbol))
	})
	SortFindings(r.Findings)
}

// WriteJSON writes the report, indented, with a final line end.
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, "report", r) }

func writeJSON(w io.Writer, name string, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
