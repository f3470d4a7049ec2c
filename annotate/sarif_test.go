package annotate_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

func sarifRun(t *testing.T, r *checks.Report, o annotate.Options) (*sarif.Run, []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := annotate.SARIF(&b, r, o); err != nil {
		t.Fatal(err)
	}
	log, err := sarif.FromBytes(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return log.Runs[0], b.Bytes()
}

// TestSARIFLimits: neither many findings nor long ones make a file that GitHub refuses, and what is left out is counted.
func TestSARIFLimits(t *testing.T) {
	for _, c := range []struct {
		findings int
		message  string
	}{{26000, "m"}, {12000, strings.Repeat("\"\\", 5000)}} {
		r := &checks.Report{Outcome: checks.OutcomeFindings}
		for i := range c.findings {
			r.Findings = append(r.Findings, checks.Finding{Rule: "trust/assume", Severity: policy.Error, Symbol: "f", File: "a.rs", Message: c.message, Fingerprint: fmt.Sprint(i)})
		}
		run, text := sarifRun(t, r, annotate.Options{})
		if len(text) > 10*1000*1000 || len(run.Results) > 25000 || len(run.Results) < 1000 {
			t.Errorf("%d findings: %d bytes, %d results", c.findings, len(text), len(run.Results))
		}
		notes := run.Invocations[0].ToolExecutionNotifications
		if want := fmt.Sprintf("%d findings are left out for want of room.", c.findings-len(run.Results)); len(notes) != 1 || *notes[0].Message.Text != want {
			t.Errorf("%d findings: no note %q", c.findings, want)
		}
	}
}

// TestSARIFPlaces: columns count characters and need the line; a path that is none of the repository's is no location.
func TestSARIFPlaces(t *testing.T) {
	file := source.NewFile("src/größe 1.rs", []byte("fn 日本() {}\nnext\n"))
	at := func(line, column, endLine, endColumn int) source.Range {
		return source.Range{Start: source.Position{Line: line, Column: column}, End: source.Position{Line: endLine, Column: endColumn}}
	}
	f := func(path string, span source.Range) checks.Finding {
		return checks.Finding{Rule: "trust/assume", Severity: policy.Error, Symbol: "日本", File: path, Span: span, Fingerprint: "id"}
	}
	r := &checks.Report{Outcome: checks.OutcomeFindings, Findings: []checks.Finding{
		f(file.Path, at(1, 4, 1, 10)), f(file.Path, at(1, 10, 2, 3)), f(file.Path, at(1, 400, 1, 500)), f("src/other.rs", at(7, 3, 7, 9)), f("../x.rs", at(1, 1, 1, 2)),
		f("a:b.rs", at(0, 0, 0, 0)),
	}}
	run, _ := sarifRun(t, r, annotate.Options{Source: func(side annotate.Side, path string) *source.File {
		if side == annotate.Head && path == file.Path {
			return file
		}
		return nil
	}})
	var got []string
	number := func(n *int) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	for _, result := range run.Results {
		p := result.Locations[0].PhysicalLocation
		if p == nil {
			got = append(got, *result.Locations[0].LogicalLocations[0].FullyQualifiedName)
			continue
		}
		got = append(got, fmt.Sprintf("%s %s:%s-%s:%s %s", *p.ArtifactLocation.URI, number(p.Region.StartLine), number(p.Region.StartColumn), number(p.Region.EndLine),
			number(p.Region.EndColumn), result.PartialFingerprints["primaryLocationLineHash"]))
	}
	want := []string{"src/gr%C3%B6%C3%9Fe%201.rs 1:4-1:6 id:1", "src/gr%C3%B6%C3%9Fe%201.rs 1:6-2:3 id:2", "src/gr%C3%B6%C3%9Fe%201.rs 1:--1:- id:3",
		"src/other.rs 7:--7:- id:4", "日本", "./a:b.rs 1:--1:- id:6"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestSARIFOfWhatWasNotChecked: no results is not the same as nothing found.
func TestSARIFOfWhatWasNotChecked(t *testing.T) {
	r := &checks.Report{Outcome: checks.OutcomeInconclusive, Reasons: []checks.Reason{{Stage: "parse", Text: "src/a.rs: not understood"}},
		Findings: []checks.Finding{{Rule: "trust/axiom", Severity: policy.Warning, File: "a.rs", Symbol: "f", Waived: &checks.WaiverRef{ID: "w-1"}}}}
	for range 150 {
		r.Reasons = append(r.Reasons, checks.Reason{Stage: "proof", Text: "more"})
	}
	run, _ := sarifRun(t, r, annotate.Options{})
	i := run.Invocations[0]
	if *i.ExecutionSuccessful || len(i.ToolExecutionNotifications) != 101 || *i.ToolExecutionNotifications[0].Message.Text != "Not checked (parse): src/a.rs: not understood" ||
		*i.ToolExecutionNotifications[100].Message.Text != "Not checked: 51 more." {
		t.Errorf("invocation: %v, %d notes", *i.ExecutionSuccessful, len(i.ToolExecutionNotifications))
	}
	if s := run.Results[0].Suppressions; len(s) != 1 || *s[0].Kind != "external" || *s[0].Status != "accepted" || *s[0].Justification != "Waiver w-1 of the policy." {
		t.Errorf("suppressions %+v", s)
	}
}
