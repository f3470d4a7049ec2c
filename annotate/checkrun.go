package annotate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/source"
)

// Options say what a renderer for GitHub has to know besides the report: what the policy makes of findings, what rules say, and the
// sources that the report points into.
type Options struct {
	// Rules are those that findings may be of. A finding of another rule has no remedy.
	Rules []*checks.Rule
	// FailOn is the least severity that blocks: "error", "warning" or "notice"; "never": none does. Anything else means "error".
	FailOn string
	// InconclusiveFails says that an inconclusive outcome blocks.
	InconclusiveFails bool
	// PerFunction is the most annotations of one function, from 1 to 50; 0 means 4.
	PerFunction int
	// Source gives the text of a file, or nil if it cannot be had. It is asked for the columns of SARIF, which count characters.
	Source func(side Side, file string) *source.File
}

const defaultPerFunction = 4

// Conclusion of a check run. A gate never ends in neutral or skipped, which GitHub counts as passed.
type Conclusion string

const (
	// Success: nothing blocks.
	Success Conclusion = "success"
	// Failure: something has to be mended, or could not be checked.
	Failure Conclusion = "failure"
	// ActionRequired: all that blocks is for a person to accept or to refuse: something newly believed, or an edit. The check run should
	// have a details URL.
	ActionRequired Conclusion = "action_required"
)

// Level of an annotation.
type Level string

const (
	LevelNotice  Level = "notice"
	LevelWarning Level = "warning"
	LevelFailure Level = "failure"
)

// What GitHub takes, in bytes. Source: the reference of its REST API, "Create a check run"; where that says characters, bytes are fewer.
const (
	maxTitle      = 255
	maxSummary    = 65535
	maxText       = 65535
	maxMessage    = 64 * 1024
	maxRawDetails = 64 * 1024
	// maxAnnotations of one check run is ten requests of 50. Nobody reads more, and GitHub limits how much is written in a minute.
	maxAnnotations = 500
)

// CheckRun is the output of a check run.
type CheckRun struct {
	Conclusion Conclusion
	// Title is plain text of one line, at most 255 bytes. Summary and Text are Markdown of at most 65,535 bytes each.
	Title, Summary, Text string
	// Annotations are the most important first. GitHub takes 50 in a request.
	Annotations []Annotation
	// LeftOut counts the findings without waiver that are in no annotation; the text has them as far as it goes.
	LeftOut int
}

// Annotation is plain text at lines of a file of head.
type Annotation struct {
	// Path is relative to the repository's root.
	Path string
	// Lines and columns from 1, columns in bytes; the last ones are part of it. Columns are 0, which is none, unless it is on one line.
	StartLine, EndLine, StartColumn, EndColumn int
	Level                                      Level
	// Title is one line of at most 255 bytes. Message and RawDetails have at most 64 KiB; RawDetails may be empty.
	Title, Message, RawDetails string
	// Fingerprint of the finding, and the function that it is about.
	Fingerprint, Symbol string
	// Findings is how many it tells of: one, and others of its first line.
	Findings int
}

// NewCheckRun renders a report for a check run.
func NewCheckRun(r *checks.Report, o Options) CheckRun {
	v := newView(r, o)
	annotations, left := v.annotations(maxAnnotations, maxMessage)
	return CheckRun{Conclusion: v.conclusion(), Title: v.title(), Summary: v.summary(maxSummary), Text: v.text(maxText, left),
		Annotations: annotations, LeftOut: left}
}

// view is a report with what was asked of it once.
type view struct {
	r     *checks.Report
	o     Options
	rules map[string]*checks.Rule
	// open are findings without waiver, the most important first; waived are the others, in the report's order.
	open, waived []*checks.Finding
	blocking     int
}

func newView(r *checks.Report, o Options) *view {
	v := &view{r: r, o: o, rules: map[string]*checks.Rule{}}
	for _, rule := range o.Rules {
		v.rules[rule.ID] = rule
	}
	if v.o.PerFunction == 0 {
		v.o.PerFunction = defaultPerFunction
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Waived != nil {
			v.waived = append(v.waived, f)
			continue
		}
		v.open = append(v.open, f)
		if v.blocks(f) {
			v.blocking++
		}
	}
	slices.SortStableFunc(v.open, byImportance)
	return v
}

// rank of a severity; one that is not known is the worst.
func rank(severity string) int {
	switch severity {
	case "notice":
		return 1
	case "warning":
		return 2
	}
	return 3
}

func familyOf(rule string) checks.Family {
	family, _, _ := strings.Cut(rule, "/")
	return checks.Family(family)
}

// familyRank orders findings of one severity: what is believed first, what was edited next, and so on.
func familyRank(rule string) int {
	if i := slices.Index(checks.Families(), familyOf(rule)); i >= 0 {
		return i
	}
	return len(checks.Families())
}

// byImportance orders findings: what is waived last, then by severity, then trust, edit, contract, proof, strength.
func byImportance(a, b *checks.Finding) int {
	waived := func(f *checks.Finding) int {
		if f.Waived != nil {
			return 1
		}
		return 0
	}
	return cmp.Or(waived(a)-waived(b), rank(b.Severity.String())-rank(a.Severity.String()), familyRank(a.Rule)-familyRank(b.Rule))
}

func (v *view) blocks(f *checks.Finding) bool {
	if f.Waived != nil || v.o.FailOn == "never" {
		return false
	}
	least := "error"
	if v.o.FailOn == "warning" || v.o.FailOn == "notice" {
		least = v.o.FailOn
	}
	return rank(f.Severity.String()) >= rank(least)
}

// refuted is the one rule about belief where nothing is left to decide: what is believed is false.
const refuted = "trust/contract-refuted"

func (v *view) conclusion() Conclusion {
	switch v.r.Outcome {
	case checks.OutcomePass:
		return Success
	case checks.OutcomeInconclusive:
		if !v.o.InconclusiveFails && v.blocking == 0 {
			return Success
		}
	case checks.OutcomeFindings:
		people := v.blocking > 0
		for _, f := range v.open {
			family := familyOf(f.Rule)
			if v.blocks(f) && (family != checks.Trust && family != checks.Edit || f.Rule == refuted) {
				people = false
			}
		}
		if people {
			return ActionRequired
		}
	}
	return Failure
}

// title is the whole result in one line.
func (v *view) title() string {
	var parts []string
	switch v.r.Outcome {
	case checks.OutcomePass, checks.OutcomeFindings:
	case checks.OutcomeInconclusive:
		parts = append(parts, "inconclusive")
	default:
		parts = append(parts, "could not check")
	}
	parts = append(parts, fmt.Sprintf("%d blocking", v.blocking))
	if s := v.r.Simulation; s != nil {
		if text := newProposed(s).short(); text != "" {
			parts = append(parts, text)
		}
	}
	if s := v.strength(); s.functions > 0 {
		text := "strength " + s.lowest
		if s.functions > 1 {
			text = "lowest " + text
		}
		parts = append(parts, text)
	}
	if c := v.r.Counts; v.r.Tools.Verus == nil {
		parts = append(parts, "nothing proved: no verifier")
	} else if c.Selected > c.Skipped {
		parts = append(parts, fmt.Sprintf("%d of %d proved", c.Proved, c.Selected-c.Skipped))
	}
	if n := v.newlyTrusted(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d newly trusted", n))
	}
	return cut(strings.Join(parts, " · "), maxTitle)
}

func (v *view) newlyTrusted() int {
	n := 0
	for i := range v.r.Functions {
		n += len(v.r.Functions[i].Trust.Added)
	}
	return n
}

// strengths of the functions whose contract was measured in head. A mean would hide a weak contract among strong ones, and not all of
// them can be compared with base, so the lowest one stands for them, with its own difference: "0.64 (-0.36)".
type strengths struct {
	functions int
	mean      float64
	lowest    string
}

func (v *view) strength() strengths {
	var out strengths
	var lowest *checks.FunctionStrength
	for i := range v.r.Functions {
		s := &v.r.Functions[i].Strength
		if s.Head == nil || s.Head.Value == nil {
			continue
		}
		out.functions++
		out.mean += clamp(*s.Head.Value, 0, 1)
		if lowest == nil || *s.Head.Value < *lowest.Head.Value ||
			*s.Head.Value == *lowest.Head.Value && s.Delta != nil && (lowest.Delta == nil || *s.Delta < *lowest.Delta) {
			lowest = s
		}
	}
	if lowest == nil {
		return out
	}
	out.mean /= float64(out.functions)
	out.lowest = share01(*lowest.Head.Value)
	if lowest.Delta != nil {
		out.lowest += " (" + difference01(*lowest.Delta) + ")"
	}
	return out
}

// share01 and difference01 hold for reports that someone else wrote, too.
func share01(x float64) string { return share(clamp(x, 0, 1)) }

func difference01(x float64) string { return difference(clamp(x, -1, 1)) }

func clamp(x, low, high float64) float64 {
	if math.IsNaN(x) {
		return low
	}
	return min(max(x, low), high)
}

// annotations picks at most one a line, at most so many a function, and most altogether; left counts the findings that are in none. A
// message, of at most limit bytes, also has the other findings of its line, as far as they fit.
func (v *view) annotations(most, limit int) (out []Annotation, left int) {
	type line struct {
		file string
		line int
	}
	at := map[line]int{}
	functions := map[string]int{}
	for _, f := range v.open {
		if !inRepository(f.File) {
			left++
			continue
		}
		a := Annotation{Path: f.File, Level: level(f), Fingerprint: f.Fingerprint, Symbol: f.Symbol, Findings: 1, Title: v.headline(f, maxTitle)}
		a.StartLine = max(f.Span.Start.Line, 1)
		a.EndLine = max(f.Span.End.Line, a.StartLine)
		if a.EndLine > a.StartLine && f.Span.End.Column <= 1 {
			a.EndLine-- // it ends behind a line end
		}
		if f.Span.Start.Line == f.Span.End.Line && f.Span.Start.Column >= 1 && f.Span.Start.Line >= 1 {
			a.StartColumn = f.Span.Start.Column
			a.EndColumn = max(f.Span.End.Column-1, a.StartColumn)
		}
		here := line{a.Path, a.StartLine}
		if first, taken := at[here]; taken {
			// A mark tells of the worst that is on its line, so the others are no worse.
			more := "\n\nAlso on this line: " + a.Title + ". " + v.explain(f, limit/4)
			if len(out[first].Message)+len(more) <= limit {
				out[first].Message += more
				out[first].Findings++
			} else {
				left++
			}
			continue
		}
		if functions[f.Symbol] >= v.o.PerFunction || len(out) >= most {
			left++
			continue
		}
		a.Message, a.RawDetails = v.explain(f, limit), v.details(f, maxRawDetails)
		at[here] = len(out)
		functions[f.Symbol]++
		out = append(out, a)
	}
	return out, left
}

func level(f *checks.Finding) Level {
	switch rank(f.Severity.String()) {
	case 1:
		return LevelNotice
	case 2:
		return LevelWarning
	}
	return LevelFailure
}

// headline says in plain text which rule a finding is of and what it is about.
func (v *view) headline(f *checks.Finding, limit int) string {
	return escapeLine(cut(strings.ToValidUTF8(f.Rule, "?"), 80)+" in "+f.Symbol, limit)
}

// explain says in plain text what happened and what to do: whoever reads nothing else has to know. Where it is too long, what
// happened is cut, and never what to do.
func (v *view) explain(f *checks.Finding, limit int) string {
	most := min(limit/4, 1000)
	rest := ""
	if example := witness(f); example != "" && !told(f) {
		rest += "\n\nFor example: " + escapeLine(example, most)
	}
	if remedy := v.remedy(f); remedy != "" {
		rest += "\n\nWhat to do: " + escapePlain(remedy, most)
	}
	return escapePlain(f.Message, limit-len(rest)) + rest
}

func (v *view) remedy(f *checks.Finding) string {
	if rule := v.rules[f.Rule]; rule != nil {
		return rule.Remedy
	}
	return ""
}

// details are what a reader may unfold: the texts that differ, the place in base, the fingerprint that a waiver or an approval names.
func (v *view) details(f *checks.Finding, limit int) string {
	rest := ""
	if f.Base != nil {
		rest += "Base: " + escapeLine(f.Base.File, min(maxPath, limit/4)) + ":" + f.Base.Span.Start.String() + "\n"
	}
	rest += "Fingerprint: " + escapeLine(f.Fingerprint, min(maxTitle, limit/4))
	if f.Detail == "" {
		return rest
	}
	rest = "\n" + rest
	return escapePlain(strings.TrimRight(f.Detail, "\n"), limit-len(rest)) + rest
}

// witness in words; empty if there is none.
func witness(f *checks.Finding) string {
	w := f.Witness
	if w == nil {
		return ""
	}
	says := w.Input // empty: the function has no parameters
	if w.Result != "" {
		says += " gives " + w.Result
	}
	if w.Wrong != "" {
		if says != "" {
			says += ", and "
		}
		says += w.Wrong + " is accepted too"
	}
	return strings.TrimSpace(says)
}

// told tells that the message has the whole of the witness in it already.
func told(f *checks.Finding) bool {
	for _, part := range []string{f.Witness.Input, f.Witness.Result, f.Witness.Wrong} {
		if !strings.Contains(f.Message, part) {
			return false
		}
	}
	return true
}

// bar shows a number in [0, 1] in ten cells. It is full only when the number is 1, and empty only when it is 0.
func bar(x float64) string {
	const cells = 10
	x = clamp(x, 0, 1)
	n := int(math.Floor(x*cells + 1e-9))
	if n == 0 && x > 0 {
		n = 1
	}
	return strings.Repeat("█", n) + strings.Repeat("░", cells-n)
}

// validRevision tells whether a name can stand in a command line as it is.
func validRevision(rev string) bool {
	if rev == "" || len(rev) > 200 || rev[0] == '-' || !utf8.ValidString(rev) {
		return false
	}
	return strings.Trim(rev, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/._-") == ""
}
