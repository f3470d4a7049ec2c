package annotate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/source"
)

// What GitHub takes of one run. Source: its manual, "SARIF support for code scanning". A file may have 10 MB when it is compressed;
// this counts it as it is, so that no choice of names makes it too large.
const (
	maxResults      = 25000
	maxResultsBytes = 9 * 1000 * 1000
	maxSARIFMessage = 2000
)

// These stand in for types of the library where it leaves out an empty list that has to be written: either every result says how it is
// suppressed, or none does (SARIF 2.1.0, 3.27.23).
type (
	sarifLog struct {
		*sarif.Report
		Runs []sarifRun `json:"runs"`
	}
	sarifRun struct {
		*sarif.Run
		Results []sarifResult `json:"results"`
	}
	sarifResult struct {
		*sarif.Result
		Suppressions []*sarif.Suppression `json:"suppressions"`
	}
)

// SARIF writes the report as SARIF 2.1.0, with all rules and one run. Findings with a waiver are suppressed results. What was not checked,
// and how many results did not fit, are notifications.
func SARIF(w io.Writer, r *checks.Report, o Options) error {
	v := newView(r, o)
	run := sarif.NewRun().WithColumnKind("unicodeCodePoints").WithAutomationDetails(sarif.NewRunAutomationDetails().WithID("specgate/"))
	driver := sarif.NewToolComponent().WithName("specgate").WithVersion(escapeLine(r.Specgate.Version, 200))
	index := map[string]int{}
	for i, rule := range o.Rules {
		index[rule.ID] = i
		driver.AddRule(sarifRule(rule))
	}
	run.WithTool(sarif.NewTool().WithDriver(driver))

	results := make([]sarifResult, 0, len(r.Findings))
	size, left := 0, 0
	seen := map[string]int{}
	for _, f := range append(v.open[:len(v.open):len(v.open)], v.waived...) {
		seen[f.Fingerprint]++
		result := v.sarifResult(f, index, seen[f.Fingerprint])
		text, err := encodeJSON(result)
		if err != nil {
			return fmt.Errorf("write SARIF: %w", err)
		}
		if len(results) == maxResults || size+len(text) > maxResultsBytes {
			left = len(r.Findings) - len(results)
			break
		}
		size += len(text)
		results = append(results, result)
	}
	run.AddInvocation(v.invocation(left))

	log := sarifLog{Report: sarif.NewReport(), Runs: []sarifRun{{Run: run, Results: results}}}
	text, err := encodeJSON(log)
	if err != nil {
		return fmt.Errorf("write SARIF: %w", err)
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write SARIF: %w", err)
	}
	return nil
}

func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

func sarifLevel(severity string) string {
	switch rank(severity) {
	case 1:
		return sarif.LevelNote
	case 2:
		return sarif.LevelWarning
	}
	return sarif.LevelError
}

func sarifRule(r *checks.Rule) *sarif.ReportingDescriptor {
	multi := func(text, markdown string) *sarif.MultiformatMessageString {
		m := sarif.NewMultiformatMessageString().WithText(text)
		if markdown != "" {
			m.WithMarkdown(markdown)
		}
		return m
	}
	var text, md strings.Builder
	fmt.Fprintf(&text, "%s\n\nWhy it matters: %s\n\nWhat to do: %s\n", r.Purpose, r.Why, r.Remedy)
	fmt.Fprintf(&md, "%s\n\n**Why it matters:** %s\n\n**What to do:** %s\n", r.Purpose, r.Why, r.Remedy)
	for _, e := range []struct {
		title   string
		example checks.Example
	}{{"An example that is reported", r.Fires}, {"An example that is not", r.Quiet}} {
		for _, side := range []struct{ name, source string }{{"base", e.example.Base}, {"head", e.example.Head}} {
			if side.source == "" {
				continue
			}
			fmt.Fprintf(&text, "\n%s, %s:\n\n%s\n", e.title, side.name, strings.TrimSpace(side.source))
			fmt.Fprintf(&md, "\n%s, %s:\n\n```rust\n%s\n```\n", e.title, side.name, strings.TrimSpace(side.source))
		}
	}
	return sarif.NewRule(r.ID).
		WithShortDescription(multi(r.Purpose, "")).
		WithFullDescription(multi(r.Purpose+" "+r.Why, "")).
		WithHelp(multi(text.String(), md.String())).
		WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(sarifLevel(r.Severity.String()))).
		WithProperties(sarif.NewPropertyBag().WithTags([]string{string(r.Family), "verus"}))
}

// sarifResult of a finding; occurrence counts the findings of this fingerprint so far, this one included.
func (v *view) sarifResult(f *checks.Finding, index map[string]int, occurrence int) sarifResult {
	location := sarif.NewLocation().AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(escapeLine(f.Symbol, maxSARIFMessage)).WithIndex(-1).WithParentIndex(-1))
	if inRepository(f.File) {
		location.WithPhysicalLocation(sarif.NewPhysicalLocation().
			WithArtifactLocation(sarif.NewArtifactLocation().WithURI(relativeURI(f.File)).WithURIBaseID("%SRCROOT%")).
			WithRegion(v.region(f)))
	}
	text := escapeSARIF(v.explain(f, maxSARIFMessage)+"\n\n"+v.details(f, maxSARIFMessage), 2*maxSARIFMessage)
	id := fmt.Sprintf("%s:%d", escapeLine(f.Fingerprint, 200), occurrence)
	result := sarif.NewResult().WithRuleID(escapeLine(f.Rule, 200)).WithLevel(sarifLevel(f.Severity.String())).
		WithMessage(sarif.NewTextMessage(text)).AddLocation(location).
		WithPartialFingerprints(map[string]string{
			"specgate/v1":             id,
			"primaryLocationLineHash": id, // the one name that GitHub looks at
		})
	if i, ok := index[f.Rule]; ok {
		result.WithRuleIndex(i)
	}
	out := sarifResult{Result: result, Suppressions: []*sarif.Suppression{}}
	if f.Waived != nil {
		out.Suppressions = append(out.Suppressions, sarif.NewSuppression().WithKind("external").WithStatus("accepted").
			WithJustification("Waiver "+escapeLine(f.Waived.ID, 200)+" of the policy."))
	}
	return out
}

// region has columns only where the line can be had, since SARIF counts characters and a report bytes.
func (v *view) region(f *checks.Finding) *sarif.Region {
	first := max(f.Span.Start.Line, 1)
	last := max(f.Span.End.Line, first)
	region := sarif.NewRegion().WithStartLine(first).WithEndLine(last)
	if v.o.Source == nil {
		return region
	}
	file := v.o.Source(Head, f.File)
	if file == nil {
		return region
	}
	start, ok := character(file, f.Span.Start)
	if !ok {
		return region
	}
	if end, ok := character(file, f.Span.End); ok && (last > first || end >= start) {
		region.WithStartColumn(start).WithEndColumn(end)
	}
	return region
}

// character is the column of a position in characters, from 1. A column far out in a line is not worth its counting.
func character(file *source.File, p source.Position) (column int, ok bool) {
	const far = 1 << 14
	line := file.Line(p.Line)
	if p.Column < 1 || p.Column > far || p.Column-1 > len(line) {
		return 0, false
	}
	return utf8.RuneCount(line[:p.Column-1]) + 1, true
}

// invocation says how the run went, so that a result list without entries does not read as a clean one.
func (v *view) invocation(left int) *sarif.Invocation {
	i := sarif.NewInvocation().WithExecutionSuccessful(v.r.Outcome == checks.OutcomePass || v.r.Outcome == checks.OutcomeFindings)
	note := func(level, text string) {
		i.AddToolExecutionNotification(sarif.NewNotification().WithLevel(level).WithMessage(sarif.NewTextMessage(text)))
	}
	const most = 100
	for n, reason := range v.r.Reasons {
		if n == most {
			note(sarif.LevelWarning, fmt.Sprintf("Not checked: %d more.", len(v.r.Reasons)-n))
			break
		}
		note(sarif.LevelWarning, escapeSARIF("Not checked ("+reason.Stage+"): "+reason.Text, maxSARIFMessage))
	}
	if left > 0 {
		note(sarif.LevelWarning, fmt.Sprintf("%s left out for want of room.", plural(left, "finding")+" "+isOrAre(left)))
	}
	return i
}
