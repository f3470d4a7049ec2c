package annotate_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/checks/registry"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

// token ends the part of a log that is no command, in tests.
const token = "0123456789abcdefTOKEN"

// readReport gives the report of the bundled example, with a verifier and a compiler, recorded as testdata/README.md says.
func readReport(t testing.TB) *checks.Report {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "example.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r checks.Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// exampleSource reads the sources of the example's head and base.
func exampleSource(t testing.TB) func(annotate.Side, string) *source.File {
	return func(side annotate.Side, file string) *source.File {
		text, err := os.ReadFile(filepath.Join("..", "examples", "numbers", map[annotate.Side]string{annotate.Base: "base", annotate.Head: "head"}[side], file))
		if err != nil {
			t.Fatal(err)
		}
		return source.NewFile(file, text)
	}
}

// many gives a report with n findings of several rules about functions with eight findings each, two of them on one line, and one in
// twenty with a waiver.
func many(n int) *checks.Report {
	rules := []struct {
		id       string
		severity policy.Severity
	}{{"contract/ensures-weakened", policy.Error}, {"trust/assume", policy.Error}, {"edit/exec-changed", policy.Warning},
		{"strength/mutant-survives", policy.Warning}, {"trust/removed", policy.Notice}, {"proof/failed", policy.Error}}
	r := &checks.Report{Schema: checks.Schema, Specgate: checks.Build{Version: "v1"}, Base: checks.Revision{Rev: strings.Repeat("ab", 20)},
		Head: checks.Revision{Rev: strings.Repeat("cd", 20)}, Policy: checks.PolicyRef{Source: "default"}, Outcome: checks.OutcomePass}
	for i := range n {
		function := i / 8
		symbol := fmt.Sprintf("module%d::Type%d::function_%d", function/10, function%10, function)
		rule := rules[i%len(rules)]
		line := 20*function + i%7 + 1
		f := checks.Finding{Rule: rule.id, Severity: rule.severity, Symbol: symbol, File: fmt.Sprintf("src/module%d.rs", function/10),
			Span:    source.Range{Start: source.Position{Line: line, Column: 5}, End: source.Position{Line: line, Column: 17}},
			Message: fmt.Sprintf("Something about `function_%d(x)` changed.", function), Detail: "Base: a\nHead: b", Fingerprint: fmt.Sprintf("%032x", i)}
		if i%20 == 19 {
			f.Waived = &checks.WaiverRef{ID: fmt.Sprintf("w-%d", i)}
		} else if rule.severity == policy.Error {
			r.Outcome = checks.OutcomeFindings
		}
		r.Findings = append(r.Findings, f)
		if i%8 == 0 {
			head, base := float64(function%11)/10, 1.0
			delta := head - base
			r.Functions = append(r.Functions, checks.Function{Symbol: symbol, File: f.File, Span: f.Span, Change: "changed", Executable: "same",
				Contract: checks.FunctionContract{Direction: "weaker", By: "proof"}, Proof: checks.FunctionProof{Base: "proved", Head: "proved"},
				Trust: checks.TrustDelta{Added: []checks.TrustSite{{Kind: "assume"}}},
				Strength: checks.FunctionStrength{Base: &checks.SuiteResult{Rejected: 10, Total: 10, Value: &base, Label: "empirical"},
					Head: &checks.SuiteResult{Rejected: function % 11, Escaped: 10 - function%11, Total: 10, Value: &head, Label: "empirical"}, Delta: &delta, Comparable: true}})
			r.Counts.Selected++
			r.Counts.Proved++
		}
	}
	r.Tools.Verus = &checks.VerusTool{Version: "0.2025.06.23.283b036"}
	return r
}

// ruleList has a rule of each family, so that golden files stay readable.
func ruleList() []*checks.Rule {
	var out []*checks.Rule
	for _, r := range registry.Rules() {
		if slices.Contains([]string{"trust/assume", "edit/exec-changed", "contract/ensures-weakened", "proof/failed", "strength/weak", "strength/dropped"}, r.ID) {
			out = append(out, r)
		}
	}
	return out
}

func options() annotate.Options {
	return annotate.Options{Rules: ruleList(), FailOn: "error", InconclusiveFails: true}
}

// printRun writes a check run out for people.
func printRun(t testing.TB, run annotate.CheckRun) []byte {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "conclusion: %s\ntitle: %s\nleft out: %d\n=== summary\n%s=== text\n%s=== annotations\n", run.Conclusion, run.Title, run.LeftOut, run.Summary, run.Text)
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	for _, a := range run.Annotations {
		if err := enc.Encode(a); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// abridge keeps the beginning and the end of a long output, and stands the hash of what is between for it.
func abridge(text []byte) []byte {
	const first, last = 150, 40
	lines := bytes.SplitAfter(text, []byte("\n"))
	if len(lines) <= first+last+1 {
		return text
	}
	middle := bytes.Join(lines[first:len(lines)-last], nil)
	note := fmt.Sprintf("[%d lines, %d bytes, %x]\n", len(lines)-first-last, len(middle), sha256.Sum256(middle))
	return slices.Concat(bytes.Join(lines[:first], nil), []byte(note), bytes.Join(lines[len(lines)-last:], nil))
}

// outputs are all that is rendered for GitHub.
func outputs(t testing.TB, r *checks.Report, o annotate.Options) map[string][]byte {
	t.Helper()
	out := map[string][]byte{"checkrun.txt": printRun(t, annotate.NewCheckRun(r, o))}
	for name, write := range map[string]func(io.Writer) error{
		"summary.md":   func(w io.Writer) error { return annotate.Summary(w, r, o) },
		"comment.md":   func(w io.Writer) error { return annotate.Markdown(w, r, o) },
		"commands.txt": func(w io.Writer) error { return annotate.Commands(w, r, annotate.CommandOptions{Options: o}) },
		"sarif.json":   func(w io.Writer) error { return annotate.SARIF(w, r, o) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = b.Bytes()
	}
	return out
}

func TestGitHubGolden(t *testing.T) {
	for name, r := range map[string]*checks.Report{"example": readReport(t), "none": many(0), "one": many(1), "sixty": many(60), "thousands": many(3000)} {
		t.Run(name, func(t *testing.T) {
			o := options()
			if name == "example" {
				o.Source = exampleSource(t)
			}
			got := outputs(t, r, o)
			for file, text := range got {
				if file == "sarif.json" {
					var b bytes.Buffer
					if err := json.Indent(&b, text, "", " "); err != nil {
						t.Fatal(err)
					}
					text = b.Bytes()
				}
				golden(t, filepath.Join("github", name+"-"+file), abridge(text))
			}
			checkAll(t, r, o, true)
			for file, again := range outputs(t, r, o) {
				if !bytes.Equal(got[file], again) {
					t.Errorf("%s is different the second time", file)
				}
			}
		})
	}
}

func TestConclusion(t *testing.T) {
	f := func(rule string, severity policy.Severity) checks.Finding {
		return checks.Finding{Rule: rule, Severity: severity, Symbol: "f", File: "a.rs"}
	}
	waived := f("trust/assume", policy.Error)
	waived.Waived = &checks.WaiverRef{ID: "w"}
	type row struct {
		name     string
		outcome  checks.Outcome
		findings []checks.Finding
		failOn   string
		fails    bool
		want     annotate.Conclusion
	}
	for _, c := range []row{
		{"nothing", checks.OutcomePass, nil, "error", true, annotate.Success},
		{"a warning does not block", checks.OutcomePass, []checks.Finding{f("edit/exec-changed", policy.Warning)}, "error", true, annotate.Success},
		{"nothing blocks by policy", checks.OutcomePass, []checks.Finding{f("contract/ensures-weakened", policy.Error)}, "never", true, annotate.Success},
		{"weaker", checks.OutcomeFindings, []checks.Finding{f("contract/ensures-weakened", policy.Error)}, "error", true, annotate.Failure},
		{"newly trusted: a person decides", checks.OutcomeFindings, []checks.Finding{f("trust/assume", policy.Error)}, "error", true, annotate.ActionRequired},
		{"an edit: a person decides", checks.OutcomeFindings, []checks.Finding{f("edit/exec-changed", policy.Warning)}, "warning", true, annotate.ActionRequired},
		{"a weak contract that does not block", checks.OutcomeFindings, []checks.Finding{f("trust/assume", policy.Error), f("strength/weak", policy.Warning)}, "error", true, annotate.ActionRequired},
		{"trusted and weaker", checks.OutcomeFindings, []checks.Finding{f("trust/assume", policy.Error), f("contract/ensures-weakened", policy.Error)}, "error", true, annotate.Failure},
		{"trusted and false", checks.OutcomeFindings, []checks.Finding{f("trust/contract-refuted", policy.Error)}, "error", true, annotate.Failure},
		{"a waiver does not make it a person's", checks.OutcomeFindings, []checks.Finding{waived, f("proof/failed", policy.Error)}, "error", true, annotate.Failure},
		{"findings that do not say which", checks.OutcomeFindings, nil, "error", true, annotate.Failure},
		{"inconclusive fails", checks.OutcomeInconclusive, nil, "error", true, annotate.Failure},
		{"inconclusive, trusted", checks.OutcomeInconclusive, []checks.Finding{f("trust/assume", policy.Error)}, "error", true, annotate.Failure},
		{"inconclusive, which only warns", checks.OutcomeInconclusive, nil, "error", false, annotate.Success},
		{"inconclusive, which only warns, and blocked", checks.OutcomeInconclusive, []checks.Finding{f("proof/failed", policy.Error)}, "error", false, annotate.Failure},
		{"error", checks.OutcomeError, nil, "never", false, annotate.Failure},
		{"no outcome", 0, nil, "never", false, annotate.Failure},
		{"no policy", checks.OutcomeFindings, []checks.Finding{f("proof/failed", policy.Error)}, "", true, annotate.Failure},
	} {
		run := annotate.NewCheckRun(&checks.Report{Outcome: c.outcome, Findings: c.findings}, annotate.Options{FailOn: c.failOn, InconclusiveFails: c.fails})
		if run.Conclusion != c.want {
			t.Errorf("%s: %s, want %s", c.name, run.Conclusion, c.want)
		}
	}
}

func TestTitle(t *testing.T) {
	value := func(x float64) *float64 { return &x }
	measured := func(head float64, delta *float64) checks.Function {
		return checks.Function{Strength: checks.FunctionStrength{Head: &checks.SuiteResult{Value: &head}, Delta: delta}}
	}
	verus := checks.Tools{Verus: &checks.VerusTool{}}
	blocking := []checks.Finding{{Rule: "proof/failed", Severity: policy.Error}, {Rule: "trust/assume", Severity: policy.Error}, {Rule: "edit/x", Severity: policy.Warning}}
	trusted := checks.Function{Trust: checks.TrustDelta{Added: make([]checks.TrustSite, 1)}}
	for _, c := range []struct {
		report checks.Report
		want   string
	}{
		{checks.Report{Outcome: checks.OutcomeFindings, Findings: blocking, Tools: verus, Counts: checks.Counts{Selected: 6, Proved: 5, Skipped: 1},
			Functions: []checks.Function{measured(0.64, value(-0.36)), trusted}}, "2 blocking · strength 0.64 (-0.36) · 5 of 5 proved · 1 newly trusted"},
		{checks.Report{Outcome: checks.OutcomePass}, "0 blocking · nothing proved: no verifier"},
		{checks.Report{Outcome: checks.OutcomePass, Tools: verus, Counts: checks.Counts{Selected: 2, Skipped: 2}}, "0 blocking"},
		{checks.Report{Outcome: checks.OutcomeInconclusive, Tools: verus, Counts: checks.Counts{Selected: 2, Proved: 1, TimedOut: 1}}, "inconclusive · 0 blocking · 1 of 2 proved"},
		{checks.Report{Outcome: checks.OutcomeError}, "could not check · 0 blocking · nothing proved: no verifier"},
		{checks.Report{Outcome: checks.OutcomePass, Tools: verus, Functions: []checks.Function{measured(1, value(0)), measured(0.999, nil)}}, "0 blocking · lowest strength 0.99"},
		{checks.Report{Outcome: checks.OutcomePass, Tools: verus, Functions: []checks.Function{measured(0.5, value(0.1)), measured(0.5, value(-0.1)), measured(1, nil)}}, "0 blocking · lowest strength 0.50 (-0.10)"},
		{checks.Report{Outcome: checks.OutcomePass, Tools: verus, Functions: []checks.Function{measured(1e300, value(-1e300))}}, "0 blocking · strength 1.00 (-1.00)"},
	} {
		if got := annotate.NewCheckRun(&c.report, annotate.Options{}).Title; got != c.want {
			t.Errorf("title %q, want %q", got, c.want)
		}
	}
}

// TestAnnotations: at most one a line, at most so many a function, the most important first, and columns on one line only.
func TestAnnotations(t *testing.T) {
	at := func(line, column, endLine, endColumn int) source.Range {
		return source.Range{Start: source.Position{Line: line, Column: column}, End: source.Position{Line: endLine, Column: endColumn}}
	}
	f := func(rule string, severity policy.Severity, symbol string, span source.Range) checks.Finding {
		return checks.Finding{Rule: rule, Severity: severity, Symbol: symbol, File: "a.rs", Span: span, Message: rule + " happened.", Fingerprint: "id"}
	}
	outside := f("trust/assume", policy.Error, "g", at(1, 1, 1, 2))
	outside.File = "../b.rs"
	waived := f("trust/assume", policy.Error, "g", at(90, 1, 90, 2))
	waived.Waived = &checks.WaiverRef{ID: "w"}
	r := &checks.Report{Outcome: checks.OutcomeFindings, Findings: []checks.Finding{
		f("strength/weak", policy.Error, "f", at(1, 1, 1, 5)),
		f("proof/failed", policy.Error, "f", at(2, 3, 4, 1)),
		f("contract/ensures-weakened", policy.Error, "f", at(3, 3, 5, 2)),
		f("edit/exec-changed", policy.Error, "f", at(4, 2, 4, 2)),
		f("trust/assume", policy.Error, "f", at(5, 7, 5, 9)),
		f("trust/axiom", policy.Error, "f", at(5, 1, 5, 3)),
		f("edit/exec-added", policy.Warning, "g", at(6, 1, 6, 2)),
		f("trust/removed", policy.Notice, "g", at(0, 0, 0, 0)),
		outside, waived,
	}}
	run := annotate.NewCheckRun(r, annotate.Options{PerFunction: 4})
	var got []string
	for _, a := range run.Annotations {
		got = append(got, fmt.Sprintf("%s %s %d:%d-%d:%d %q %q %q", a.Level, a.Path, a.StartLine, a.StartColumn, a.EndLine, a.EndColumn, a.Title, a.Message, a.RawDetails))
	}
	want := []string{
		`failure a.rs 5:7-5:8 "trust/assume in f" "trust/assume happened.\n\nAlso on this line: trust/axiom in f. trust/axiom happened." "Fingerprint: id"`,
		`failure a.rs 4:2-4:2 "edit/exec-changed in f" "edit/exec-changed happened." "Fingerprint: id"`,
		`failure a.rs 3:0-5:0 "contract/ensures-weakened in f" "contract/ensures-weakened happened." "Fingerprint: id"`,
		`failure a.rs 2:0-3:0 "proof/failed in f" "proof/failed happened." "Fingerprint: id"`,
		`warning a.rs 6:1-6:1 "edit/exec-added in g" "edit/exec-added happened." "Fingerprint: id"`,
		`notice a.rs 1:0-1:0 "trust/removed in g" "trust/removed happened." "Fingerprint: id"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if run.LeftOut != 2 { // the fifth about f, the one outside
		t.Errorf("left out %d, want 2", run.LeftOut)
	}
}

// TestAnnotationsSaySoAlone: who sees nothing but an annotation of a rule knows what happened and what to do.
func TestAnnotationsSaySoAlone(t *testing.T) {
	long := strings.Repeat("long ", 30000)
	for _, rule := range registry.Rules() {
		for _, message := range []string{"It happened.", long} {
			r := &checks.Report{Outcome: checks.OutcomeFindings, Findings: []checks.Finding{{Rule: rule.ID, Severity: policy.Error, Symbol: "f", File: "a.rs",
				Message: message, Witness: &checks.Witness{Input: "x = 1", Result: "2", Wrong: "3"}}}}
			o := annotate.Options{Rules: registry.Rules()}
			texts := []string{annotate.NewCheckRun(r, o).Annotations[0].Message}
			var b bytes.Buffer
			if err := annotate.Commands(&b, r, annotate.CommandOptions{Options: o}); err != nil {
				t.Fatal(err)
			}
			_, properties, data := runnerCommand(b.String())
			if properties["title"] != rule.ID+" in f" {
				t.Errorf("title %q", properties["title"])
			}
			for _, text := range append(texts, data) {
				if !strings.HasPrefix(text, message[:5]) || !strings.Contains(text, "\n\nFor example: x = 1 gives 2, and 3 is accepted too\n\n") ||
					!strings.HasSuffix(text, "\n\nWhat to do: "+rule.Remedy) {
					t.Errorf("%s: %.300q", rule.ID, text)
				}
			}
		}
	}
}

// checkAll looks at everything that is rendered of a report for what its reader must never get.
func checkAll(t testing.TB, r *checks.Report, o annotate.Options, schema bool) {
	t.Helper()
	run := annotate.NewCheckRun(r, o)
	plain(t, "title", run.Title, 255, false)
	if run.Title == "" {
		t.Error("the title is empty")
	}
	checkMarkdown(t, "summary", run.Summary, 65535)
	checkMarkdown(t, "text", run.Text, 65535)
	type line struct {
		path string
		line int
	}
	lines := map[line]bool{}
	functions := map[string]int{}
	for _, a := range run.Annotations {
		plain(t, "annotation title", a.Title, 255, false)
		plain(t, "annotation message", a.Message, 64*1024, true)
		plain(t, "annotation details", a.RawDetails, 64*1024, true)
		plain(t, "path", a.Path, 4096, false)
		if a.Path == "" || strings.HasPrefix(a.Path, "/") || slices.Contains(strings.Split(a.Path, "/"), "..") {
			t.Errorf("path %q", a.Path)
		}
		if a.StartLine < 1 || a.EndLine < a.StartLine || a.StartColumn < 0 || a.EndColumn < a.StartColumn || a.StartLine != a.EndLine && a.StartColumn+a.EndColumn != 0 {
			t.Errorf("place %+v", a)
		}
		if lines[line{a.Path, a.StartLine}] {
			t.Errorf("two annotations at %s:%d", a.Path, a.StartLine)
		}
		lines[line{a.Path, a.StartLine}] = true
		functions[a.Symbol]++
		if functions[a.Symbol] > max(o.PerFunction, 4) {
			t.Errorf("%d annotations of %q", functions[a.Symbol], a.Symbol)
		}
	}
	open := 0
	for _, f := range r.Findings {
		if f.Waived == nil {
			open++
		}
	}
	in := 0
	for _, a := range run.Annotations {
		in += a.Findings
	}
	if in+run.LeftOut != open {
		t.Errorf("%d findings in annotations and %d left out, of %d", in, run.LeftOut, open)
	}
	var b bytes.Buffer
	if err := annotate.Summary(&b, r, o); err != nil {
		t.Fatal(err)
	}
	checkMarkdown(t, "job summary", b.String(), 1<<20-1)
	b.Reset()
	if err := annotate.Markdown(&b, r, o); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), annotate.CommentMarker+"\n") {
		t.Errorf("the comment does not begin with its marker")
	}
	checkMarkdown(t, "comment", b.String(), 65536)
	checkCommands(t, r, o)
	checkSARIF(t, r, o, schema)
}

// plain text has no character that a reader cannot see.
func plain(t testing.TB, what, text string, limit int, lines bool) {
	t.Helper()
	if len(text) > limit {
		t.Errorf("%s has %d bytes, more than %d", what, len(text), limit)
	}
	if !utf8.ValidString(text) {
		t.Errorf("%s is not UTF-8: %.100q", what, text)
	}
	for i, c := range text {
		if (c != '\n' || !lines) && (unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp)) {
			t.Errorf("%s has %U at byte %d", what, c, i)
			return
		}
	}
}
