package annotate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

func TestReview(t *testing.T) {
	at := func(line int) source.Range {
		return source.Range{Start: source.Position{Line: line, Column: 5}, End: source.Position{Line: line, Column: 9}}
	}
	finding := func(rule, symbol string, line int, severity policy.Severity, message string) checks.Finding {
		return checks.Finding{Rule: rule, Severity: severity, Symbol: symbol, File: "src/a.rs", Span: at(line), Message: message, Fingerprint: strings.Repeat("0", 32)}
	}
	value := 0.9
	measured := checks.FunctionStrength{Head: &checks.SuiteResult{Rejected: 9, Escaped: 1, Total: 10, Value: &value, Label: "empirical"}}
	waived := finding("strength/weak", "a::waived", 9, policy.Error, "It is waived.")
	waived.Waived = &checks.WaiverRef{ID: "w"}
	report := &checks.Report{Head: checks.Revision{Rev: "abc123"}, Outcome: checks.OutcomeFindings,
		Functions: []checks.Function{
			{Symbol: "a::weak", File: "src/a.rs", Strength: measured},
			{Symbol: "a::fine<T>", File: "src/a.rs", Strength: measured},
			{Symbol: "a::unmeasured", File: "src/a.rs"},
		},
		Findings: []checks.Finding{
			finding("strength/mutant-survives", "a::weak", 5, policy.Warning, "An edit survives: @ada <b>."),
			finding("strength/weak", "a::weak", 3, policy.Error, "It also allows `0`."),
			finding("trust/assume", "a::other", 7, policy.Error, "Not about strength."),
			waived,
		},
	}
	got := annotate.NewReview(report, annotate.Options{FailOn: "error"})
	names := map[string]string{}
	for _, c := range got.Comments {
		names[c.Fingerprint] = "WEAK"
	}
	if len(got.Known) != 3 || len(got.Settled) != 1 || len(names) != 1 {
		t.Fatalf("%+v", got)
	}
	for fingerprint := range got.Known {
		switch {
		case names[fingerprint] != "":
		case got.Settled[fingerprint] != "":
			names[fingerprint] = "FINE"
		default:
			names[fingerprint] = "UNMEASURED"
		}
	}
	var b strings.Builder
	for _, c := range got.Comments {
		b.WriteString(names[c.Fingerprint] + " at " + c.Path + ":" + source.Position{Line: c.Line, Column: 1}.String() + "\n" + c.Body)
	}
	for fingerprint, text := range got.Settled {
		b.WriteString(names[fingerprint] + "\n" + text)
	}
	b.WriteString("ABSENT\n" + got.Absent)
	want := `WEAK at src/a.rs:3:1
#### error, blocks: strength/weak in <code>a::weak</code>

<code>src/a.rs:3:5</code>

It also allows <code>0</code>.

#### warning: strength/mutant-survives in <code>a::weak</code>

<code>src/a.rs:5:5</code>

An edit survives: @<!-- -->ada &lt;b&gt;.


specgate edits this comment when the contract changes.
FINE
Mended as of abc123: the contract of <code>a::fine&lt;T&gt;</code> was measured again, and specgate no longer finds it weak (strength 0.90).
ABSENT
Settled as of abc123: this function is no longer part of the change.
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}

	// The same functions are known again when everything else is new, and nothing is settled by a run that did not see everything.
	report.Head.Rev, report.Outcome = "working tree", checks.OutcomeInconclusive
	report.Findings[1].Message, report.Findings[1].Span = "It also allows `1`.", at(30)
	again := annotate.NewReview(report, annotate.Options{})
	if diff := cmp.Diff(got.Known, again.Known); diff != "" {
		t.Error(diff)
	}
	if again.Absent != "" || again.Comments[0].Fingerprint != got.Comments[0].Fingerprint {
		t.Errorf("%+v", again)
	}
}
