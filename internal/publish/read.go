package publish

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

// maxReport is the most bytes of a report that somebody else wrote.
const maxReport = 32 << 20

// InputError: what was given cannot be published as it is, whatever GitHub says. Nothing was posted.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

func inputf(format string, args ...any) error { return &InputError{fmt.Errorf(format, args...)} }

// Open reads the report in a file that somebody else wrote, of at most 32 MiB. What is wrong with the file or the report is an InputError.
func Open(name string, rules []policy.RuleInfo) (*checks.Report, error) {
	// A pipe would keep the run waiting as soon as it is opened.
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, inputf("open the report %s: it is not a file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, inputf("open the report: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	if err != nil {
		return nil, fmt.Errorf("read the report %s: %w", name, err)
	}
	report, err := Read(text, rules)
	if err != nil {
		return nil, inputf("read the report %s: %w; it must be what `specgate check --format json` of this version wrote", name, err)
	}
	return report, nil
}

// Read reads a report that may be forged. It takes what a run of specgate can have written, and nothing else: every key once and none besides,
// known words, numbers in their ranges, rules that exist, and paths of files in a repository.
func Read(text []byte, rules []policy.RuleInfo) (*checks.Report, error) {
	if len(text) > maxReport {
		return nil, fmt.Errorf("it has more than %d MiB", maxReport>>20)
	}
	var part struct {
		Shard *struct {
			Number, Of int
		} `json:"shard"`
	}
	if json.Unmarshal(text, &part) == nil && part.Shard != nil {
		return nil, fmt.Errorf("it is shard %d of %d of a check, and not a report; `specgate merge` makes a report of all shards", part.Shard.Number, part.Shard.Of)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var r checks.Report
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("decode JSON: %w", err)
	}
	if r.Schema != checks.Schema {
		return nil, fmt.Errorf("schema: it is %d; this version reads %d", r.Schema, checks.Schema)
	}
	known := map[string]bool{}
	for _, rule := range rules {
		known[rule.ID] = true
	}
	if err := checkReport(&r, known); err != nil {
		return nil, err
	}
	if err := checks.AsWritten(text, r.WriteJSON); err != nil {
		return nil, err
	}
	return &r, nil
}

var fingerprintText = regexp.MustCompile(`^[0-9a-f]{32}$`)

// checkReport checks what the types do not say.
func checkReport(r *checks.Report, rules map[string]bool) error {
	for _, side := range []struct{ key, rev string }{{"base.rev", r.Base.Rev}, {"head.rev", r.Head.Rev}} {
		if err := github.CheckSHA(side.rev); err != nil {
			return fmt.Errorf("%s: %w; only reports about commits can be published", side.key, err)
		}
	}
	if !slices.IsSortedFunc(r.Findings, func(a, b checks.Finding) int { return strings.Compare(a.File, b.File) }) {
		return fmt.Errorf("findings: they are not sorted by file")
	}
	c := r.Counts
	for _, n := range []int{c.Selected, c.Proved, c.Failed, c.TimedOut, c.InternalError, c.Unsupported, c.Skipped} {
		if n < 0 || n > 1<<30 {
			return fmt.Errorf("counts: %d is not a count", n)
		}
	}
	if c.Selected != c.Proved+c.Failed+c.TimedOut+c.InternalError+c.Unsupported+c.Skipped {
		return fmt.Errorf("counts: selected is %d, and the others add up to %d", c.Selected, c.Proved+c.Failed+c.TimedOut+c.InternalError+c.Unsupported+c.Skipped)
	}
	s := r.Score
	if err := shares("score", s.Base, s.Head, s.PassRate, s.CompletenessOfProved, s.CompletenessOfAll); err != nil {
		return err
	}
	if err := differences("score.delta", s.Delta); err != nil {
		return err
	}
	if r.Simulation != nil {
		if err := checkSimulation(r.Simulation, rules); err != nil {
			return fmt.Errorf("simulation: %w", err)
		}
	}
	for i := range r.Functions {
		if err := checkFunction(&r.Functions[i]); err != nil {
			return fmt.Errorf("functions[%d] (%q): %w", i, r.Functions[i].Symbol, err)
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if err := checkFinding(f, rules); err != nil {
			return fmt.Errorf("findings[%d] (%q): %w", i, f.Rule, err)
		}
	}
	return nil
}

func checkFinding(f *checks.Finding, rules map[string]bool) error {
	switch {
	case !rules[f.Rule]:
		return fmt.Errorf("rule: there is none of that name")
	case f.Severity != policy.Error && f.Severity != policy.Warning && f.Severity != policy.Notice:
		return fmt.Errorf("severity: want error, warning or notice")
	case !fingerprintText.MatchString(f.Fingerprint):
		return fmt.Errorf("fingerprint: %q is not one", f.Fingerprint)
	case f.Symbol == "":
		return fmt.Errorf("symbol: it is empty")
	case f.Message == "":
		return fmt.Errorf("message: it is empty")
	}
	if err := checkPlace(f.File, f.Span); err != nil {
		return err
	}
	if f.Base != nil {
		if err := checkPlace(f.Base.File, f.Base.Span); err != nil {
			return fmt.Errorf("base: %w", err)
		}
	}
	return nil
}

func checkFunction(f *checks.Function) error {
	if f.Symbol == "" {
		return fmt.Errorf("symbol: it is empty")
	}
	if err := checkPlace(f.File, f.Span); err != nil {
		return err
	}
	proof := []string{"proved", "failed", "timed-out", "internal-error", "unsupported", "skipped", "not-run"}
	for _, w := range []struct {
		key, word string
		known     []string
	}{
		{"change", f.Change, []string{"added", "removed", "changed", "moved", "same"}},
		{"executable", f.Executable, []string{"same", "changed", "added", "removed"}},
		{"contract.direction", f.Contract.Direction, []string{"equal", "stronger", "weaker", "incomparable", "unknown", "none"}},
		{"contract.by", f.Contract.By, []string{"syntax", "witness", "proof", "none"}},
		{"proof.base", f.Proof.Base, proof},
		{"proof.head", f.Proof.Head, proof},
	} {
		if !slices.Contains(w.known, w.word) {
			return fmt.Errorf("%s: %q is none of %s", w.key, w.word, strings.Join(w.known, ", "))
		}
	}
	for _, sites := range [][]checks.TrustSite{f.Trust.Added, f.Trust.Removed} {
		for _, t := range sites {
			if err := checkPlace(t.File, t.Span); err != nil {
				return fmt.Errorf("trust: %w", err)
			}
		}
	}
	for _, e := range f.Proof.Errors {
		if e.File == "" {
			continue // the verifier named no file of the repository
		}
		if err := checkPlace(e.File, e.Span); err != nil {
			return fmt.Errorf("proof.errors: %w", err)
		}
	}
	for _, suite := range []*checks.SuiteResult{f.Strength.Base, f.Strength.Head} {
		if suite == nil {
			continue
		}
		if err := checkSuite(suite); err != nil {
			return fmt.Errorf("strength: %w", err)
		}
	}
	if err := shares("score", f.Score.Base, f.Score.Head); err != nil {
		return err
	}
	return differences("delta", f.Strength.Delta, f.Score.Delta)
}

func checkSuite(s *checks.SuiteResult) error {
	for _, n := range []int{s.Rejected, s.Escaped, s.Undecided, s.Total, s.Inputs} {
		if n < 0 || n > 1<<30 {
			return fmt.Errorf("%d is not a count", n)
		}
	}
	if s.Total != s.Rejected+s.Escaped+s.Undecided {
		return fmt.Errorf("total is %d, and the parts add up to %d", s.Total, s.Rejected+s.Escaped+s.Undecided)
	}
	if s.Label != "empirical" && s.Label != "proved" {
		return fmt.Errorf("label: %q is neither empirical nor proved", s.Label)
	}
	if err := shares("value, low or high", s.Value, &s.Low, &s.High); err != nil {
		return err
	}
	// A proof that one result is allowed says 1 whatever was tried; else the value is what the counts say.
	if decided := s.Rejected + s.Escaped; s.Label == "empirical" && s.Value != nil && decided > 0 && math.Abs(*s.Value-float64(s.Rejected)/float64(decided)) > 1e-9 {
		return fmt.Errorf("value: it is %v, and %d of %d are rejected", *s.Value, s.Rejected, decided)
	}
	for _, c := range s.Clauses {
		if err := checkPlace(c.File, c.Span); err != nil {
			return fmt.Errorf("clauses: %w", err)
		}
	}
	return nil
}

func shares(key string, values ...*float64) error {
	for _, v := range values {
		if v != nil && !(*v >= 0 && *v <= 1) {
			return fmt.Errorf("%s: %v is not from 0 to 1", key, *v)
		}
	}
	return nil
}

func differences(key string, values ...*float64) error {
	for _, v := range values {
		if v != nil && !(*v >= -1 && *v <= 1) {
			return fmt.Errorf("%s: %v is not from -1 to 1", key, *v)
		}
	}
	return nil
}

// checkPlace refuses what is not a place in a file of a repository.
func checkPlace(file string, span source.Range) error {
	if !fs.ValidPath(file) || file == "." || len(file) > 4096 || strings.ContainsFunc(file, func(c rune) bool { return c < ' ' || c == 0x7f || c == '\\' }) ||
		file == ".git" || strings.HasPrefix(file, ".git/") {
		return fmt.Errorf("file: %q is not the path of a file in a repository", file)
	}
	a, b := span.Start, span.End
	if a.Line < 1 || a.Column < 1 || b.Line < a.Line || b.Line == a.Line && b.Column < a.Column || b.Column < 1 || b.Line > 1<<30 || b.Column > 1<<30 || a.Column > 1<<30 {
		return fmt.Errorf("span: %v to %v is no range", a, b)
	}
	return nil
}
