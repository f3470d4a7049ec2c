package shard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/sandbox"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/verus"
)

const (
	// Schema is the version of File's JSON.
	Schema = 1
	// Key is the one of File's JSON that says what it is; a report has no such key.
	Key = "specgateShard"
	// maxFile is the most bytes of a file that is read.
	maxFile = 64 << 20
)

// File is what one part of a check came to.
type File struct {
	Schema   int          `json:"specgateShard"`
	Specgate checks.Build `json:"specgate"`
	Shard    Number       `json:"shard"`
	// Of what it is a part.
	Base     checks.Revision  `json:"base"`
	Head     checks.Revision  `json:"head"`
	Policy   checks.PolicyRef `json:"policy"`
	Seed     uint64           `json:"seed"`
	Only     []checks.Family  `json:"only"`
	Function string           `json:"function"`
	// Run is false when no code of the change was to be run.
	Run bool `json:"run"`
	// Confine tells that it was to be run only where it can be isolated in full.
	Confine bool `json:"confine"`
	// Analysis is a hash of the change and of all that the sources alone say of it, which each part finds out for itself.
	Analysis string `json:"analysis"`
	// Unfinished says why the part did not come to its end; then nothing below is filled in. Empty if it did.
	Unfinished string   `json:"unfinished"`
	Verifier   Verifier `json:"verifier"`
	Proofs     []Proof  `json:"proofs"`
	Seeds      []Seeds  `json:"seeds"`
	Answers    []Answer `json:"answers"`
	Strength   Measured `json:"strength"`
}

// Verifier is the one that was run.
type Verifier struct {
	// Found tells that there is one, or should be one.
	Found bool `json:"found"`
	// Ran tells that there was one to run, and something to run it on; else Reasons say why not.
	Ran     bool              `json:"ran"`
	Tool    *checks.VerusTool `json:"tool"`
	Reasons []Reason          `json:"reasons"`
}

// Reason is one of the report, with what the report does not say: whether it makes the outcome inconclusive.
type Reason struct {
	Blocks bool   `json:"blocks"`
	Stage  string `json:"stage"`
	Text   string `json:"text"`
}

// Proof is what the verifier said of both sides of a root, or of a workspace.
type Proof struct {
	// Unit is the path of the root, or of the manifest.
	Unit string `json:"unit"`
	Base Side   `json:"base"`
	Head Side   `json:"head"`
}

// Side is what the verifier said of one side. Cached tells that it was known before.
type Side struct {
	Cached bool        `json:"cached"`
	Run    verus.Saved `json:"run"`
}

// Function of the head.
type Function struct {
	Symbol string `json:"symbol"`
	File   string `json:"file"`
}

// Seeds tell how the proof of a function that failed went with other seeds of the solver.
type Seeds struct {
	Function Function        `json:"function"`
	Runs     checks.SeedRuns `json:"runs"`
}

// About says which questions an Answer is to.
type About string

const (
	Head  About = "head"  // about contracts of head
	Base  About = "base"  // about contracts of base
	Cases About = "cases" // about spectests
)

// Answer is what the verifier said to the questions that were put in one module.
type Answer struct {
	About About `json:"about"`
	// Try is 1, or 2 for a second try.
	Try    int    `json:"try"`
	Crate  string `json:"crate"`
	File   string `json:"file"`
	Module string `json:"module"`
	// Parts are the proof functions.
	Parts []Part `json:"parts"`
	// Problems and the rest are as in prove.Said.
	Problems    []string `json:"problems"`
	CrateDone   bool     `json:"crateDone"`
	ModuleDone  bool     `json:"moduleDone"`
	ModuleTold  bool     `json:"moduleTold"`
	NothingMore string   `json:"nothingMore"`
}

// Part is a proof function.
type Part struct {
	// Question, and Symbol of the function that it is about. Both are empty for the one that must not be proved.
	Question string `json:"question"`
	Symbol   string `json:"symbol"`
	// Key is a hash of its text.
	Key string `json:"key"`
	// Verdict is the word for an obligation.Verdict; empty: nothing is known.
	Verdict string `json:"verdict"`
}

// Measured is what was measured.
type Measured struct {
	// NotRun says why nothing was, although something was to be; empty if it was.
	NotRun string `json:"notRun"`
	// Blocks tells that this keeps the outcome from being a pass.
	Blocks bool `json:"blocks"`
	// Rustc is nil when nothing was compiled.
	Rustc       *checks.Tool         `json:"rustc"`
	Protections []sandbox.Protection `json:"protections"`
	// Reasons are those of the report that came up.
	Reasons   []string `json:"reasons"`
	Functions []Pair   `json:"functions"`
}

// Pair is what measuring a function on both sides came to.
type Pair struct {
	Function Function `json:"function"`
	// Alone is what the evaluator decided; Asked, if the verifier was asked about what that left open, what both did.
	Alone Strength  `json:"alone"`
	Asked *Strength `json:"asked"`
	// GivenUp is how many of its mutants were not run, since calls of others did not end.
	GivenUp int `json:"givenUp"`
}

// Strength is a checks.StrengthPair.
type Strength struct {
	Base       *Suite          `json:"base"`
	Head       *Suite          `json:"head"`
	Comparable bool            `json:"comparable"`
	Delta      *float64        `json:"delta"`
	Lost       []checks.Escape `json:"lost"`
}

// Suite is a checks.Measured.
type Suite struct {
	Spectests     *checks.Spectests `json:"spectests"`
	NotApplicable string            `json:"notApplicable"`
	Unmeasured    string            `json:"unmeasured"`
	Void          string            `json:"void"`
	Refuted       *Refuted          `json:"refuted"`
	Ran           bool              `json:"ran"`
}

// Refuted is a checks.Refutation. File is empty when no clause is known.
type Refuted struct {
	Escape checks.Escape `json:"escape"`
	Clause string        `json:"clause"`
	File   string        `json:"file"`
	Span   source.Span   `json:"span"`
}

// Write writes the file, in one line.
func (f *File) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(f); err != nil {
		return fmt.Errorf("write a shard: %w", err)
	}
	return nil
}

// WriteText says in words for people what the part came to.
func (f *File) WriteText(w io.Writer) error {
	many := func(n int, thing string) string {
		if n != 1 {
			thing += "s"
		}
		return fmt.Sprintf("%d %s", n, thing)
	}
	text := fmt.Sprintf("Shard %d of %d is done: %s, %s with questions, %s measured.\n`specgate merge` makes one report of all shards.\n",
		f.Shard.K, f.Shard.Of, many(len(f.Proofs), "proof"), many(f.modules(), "module"), many(len(f.Strength.Functions), "function"))
	if f.Unfinished != "" {
		text = fmt.Sprintf("Shard %d of %d is not done: %s.\n", f.Shard.K, f.Shard.Of, f.Unfinished)
	}
	_, err := io.WriteString(w, text)
	return err
}

// modules counts those that questions were put in.
func (f *File) modules() int {
	seen := map[[2]string]bool{}
	for _, a := range f.Answers {
		seen[[2]string{a.Crate, a.Module}] = true
	}
	return len(seen)
}

// InputError says that what was given is no part of a check, or that parts do not belong together.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// Open reads the file of a name, which somebody else may have written.
func Open(name string) (*File, error) {
	fail := func(err error) (*File, error) {
		return nil, &InputError{fmt.Errorf("read the shard %s: %w", name, err)}
	}
	// A pipe would keep the run waiting as soon as it is opened.
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return fail(errors.New("it is not a file"))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, &InputError{fmt.Errorf("read a shard: %w", err)}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read the shard %s: %w", name, err)
	}
	out, err := Read(text)
	if err != nil {
		return fail(err)
	}
	return out, nil
}

// Read reads a file that may be forged. It takes what a part of a check can have written, and nothing else: every key once and none besides, known
// words, numbers in their ranges. That what it says is true cannot be seen.
func Read(text []byte) (*File, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("it has more than %d MiB", maxFile>>20)
	}
	var kind map[string]json.RawMessage
	if err := json.Unmarshal(text, &kind); err != nil {
		return nil, fmt.Errorf("decode JSON: %w; it must be what `specgate check --shard` wrote", err)
	}
	switch {
	case kind[Key] == nil && kind["findings"] != nil:
		return nil, errors.New("it is a report, not a shard of a check; shards are what `specgate check --shard K/N` writes")
	case kind[Key] == nil:
		return nil, fmt.Errorf("it has no key %q; it must be what `specgate check --shard K/N` wrote", Key)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var f File
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("decode JSON: %w; it must be what `specgate check --shard` of this version wrote", err)
	}
	if f.Schema != Schema {
		return nil, fmt.Errorf("%s: it is %d; this version reads %d", Key, f.Schema, Schema)
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	if err := checks.AsWritten(text, f.Write); err != nil {
		return nil, err
	}
	return &f, nil
}

var hash = regexp.MustCompile(`^[0-9a-f]{64}$`)

// check checks what the types do not say.
func (f *File) check() error {
	if err := f.Shard.check(); err != nil {
		return fmt.Errorf("shard: %w", err)
	}
	for _, family := range f.Only {
		if !slices.Contains(checks.Families(), family) {
			return fmt.Errorf("only: there is no family %q", family)
		}
	}
	if f.Unfinished != "" {
		return nil
	}
	if !hash.MatchString(f.Analysis) {
		return fmt.Errorf("analysis: %q is no hash", f.Analysis)
	}
	units := map[string]bool{}
	for i, p := range f.Proofs {
		if !f.Verifier.Ran || units[p.Unit] {
			return fmt.Errorf("proofs[%d]: %q is there twice, or no verifier was run", i, p.Unit)
		}
		units[p.Unit] = true
		for _, s := range []Side{p.Base, p.Head} {
			if _, err := s.Run.Restore(); err != nil {
				return fmt.Errorf("proofs[%d] (%q): %w", i, p.Unit, err)
			}
		}
	}
	for i, s := range f.Seeds {
		if n := s.Runs; n.Proved < 0 || n.Proved > n.Tried || n.Tried > 1<<20 {
			return fmt.Errorf("seeds[%d]: %d of %d runs proved it", i, n.Proved, n.Tried)
		}
	}
	for i, a := range f.Answers {
		if err := a.check(); err != nil {
			return fmt.Errorf("answers[%d] (%q): %w", i, a.Module, err)
		}
	}
	functions := map[Function]bool{}
	for i, p := range f.Strength.Functions {
		if functions[p.Function] {
			return fmt.Errorf("strength.functions[%d]: %q is there twice", i, p.Function.Symbol)
		}
		functions[p.Function] = true
		if p.GivenUp < 0 {
			return fmt.Errorf("strength.functions[%d] (%q): givenUp: %d is not a count", i, p.Function.Symbol, p.GivenUp)
		}
		for _, s := range []*Strength{&p.Alone, p.Asked} {
			if s == nil {
				continue
			}
			if err := s.check(); err != nil {
				return fmt.Errorf("strength.functions[%d] (%q): %w", i, p.Function.Symbol, err)
			}
		}
	}
	return nil
}

func (a *Answer) check() error {
	switch {
	case a.About != Head && a.About != Base && a.About != Cases:
		return fmt.Errorf("about: %q is neither head, base nor cases", a.About)
	case a.Try != 1 && a.Try != 2:
		return fmt.Errorf("try: it is %d, and there are two", a.Try)
	}
	for _, p := range a.Parts {
		if !hash.MatchString(p.Key) {
			return fmt.Errorf("key: %q is no hash", p.Key)
		}
		if _, err := VerdictOf(p.Verdict); err != nil {
			return err
		}
	}
	return nil
}

// VerdictOf is the verdict of a word.
func VerdictOf(word string) (obligation.Verdict, error) {
	if word == "" {
		return 0, nil
	}
	for v := obligation.Proved; v <= obligation.Void; v++ {
		if v.String() == word {
			return v, nil
		}
	}
	return 0, fmt.Errorf("verdict: %q is none", word)
}

func (s *Strength) check() error {
	if s.Delta != nil && !(*s.Delta >= -1 && *s.Delta <= 1) {
		return fmt.Errorf("delta: %v is not from -1 to 1", *s.Delta)
	}
	if s.Comparable && (s.Base == nil || s.Base.Spectests == nil || s.Head == nil || s.Head.Spectests == nil) {
		return errors.New("comparable: there are not two sides to compare")
	}
	for _, m := range []*Suite{s.Base, s.Head} {
		if m == nil {
			continue
		}
		if err := m.check(); err != nil {
			return err
		}
	}
	return nil
}

func (m *Suite) check() error {
	told := 0
	for _, there := range []bool{m.Spectests != nil, m.NotApplicable != "", m.Unmeasured != "", m.Void != "", m.Refuted != nil} {
		if there {
			told++
		}
	}
	if told != 1 {
		return fmt.Errorf("of spectests, notApplicable, unmeasured, void and refuted %d are there, and one must be", told)
	}
	if m.Refuted != nil && m.Refuted.File != "" && !fs.ValidPath(m.Refuted.File) {
		return fmt.Errorf("refuted: %q is not the path of a file in a repository", m.Refuted.File)
	}
	s := m.Spectests
	if s == nil {
		return nil
	}
	for _, n := range []int{s.Edits.Rejected, s.Edits.Escaped, s.Edits.Undecided, s.Mutants.Rejected, s.Mutants.Escaped, s.Mutants.Undecided, s.Given.Rejected, s.Given.Escaped,
		s.Given.Undecided, s.Domain.Tried, s.Domain.Returned, s.Domain.Counted, s.Inputs, s.Fates.Generated, s.Fates.Differing, s.Fates.Killed, s.Fates.Survived, s.Fates.Undecided} {
		if n < 0 || n > 1<<28 {
			return fmt.Errorf("spectests: %d is not a count", n)
		}
	}
	if s.Unique {
		return errors.New("spectests: whether the contract allows one result only is asked of the contract")
	}
	if s.Edits.Escaped+s.Mutants.Escaped+s.Given.Escaped > 0 && len(s.Escapes) == 0 || len(s.Survivors) != s.Fates.Survived || s.Domain.Returned > s.Domain.Tried {
		return errors.New("spectests: the counts and what is shown of them do not go together")
	}
	for _, c := range s.Clauses {
		a, b := c.Span.Start, c.Span.End
		if !fs.ValidPath(c.File) || strings.ContainsRune(c.File, 0) || a.Line < 1 || a.Column < 1 || b.Line < a.Line || b.Column < 1 {
			return fmt.Errorf("clauses: %q, %v to %v is no place in a file of a repository", c.File, a, b)
		}
	}
	return nil
}
