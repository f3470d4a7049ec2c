package annotate_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/policy"
	"github.com/specgate/specgate/internal/source"
)

func span(line, from, to int) source.Range {
	return source.Range{Start: source.Position{Line: line, Column: from}, End: source.Position{Line: line, Column: to}}
}

func set(s string) *string { return &s }

func state(severity policy.Severity, waiver string, blocks bool) *checks.FindingState {
	out := &checks.FindingState{Severity: severity, Blocks: blocks}
	if waiver != "" {
		out.Waived = &checks.WaiverRef{ID: waiver}
	}
	return out
}

func change(rule, symbol string, before, after *checks.FindingState) checks.FindingChange {
	return checks.FindingChange{Rule: rule, Symbol: symbol, File: "src/lib.rs", Span: span(12, 5, 32), Message: "Something.", Fingerprint: strings.Repeat("0", 32), Before: before, After: after}
}

// simulations have every verdict that there is.
func simulations() map[string]*checks.Simulation {
	ref := checks.PolicyRef{Source: strings.Repeat("cd", 20) + ":.specgate.toml", SHA256: strings.Repeat("0", 64)}
	fails := checks.Judgement{Outcome: checks.OutcomeFindings, Blocking: 3}
	passes := checks.Judgement{Outcome: checks.OutcomePass, Passes: true}
	unsure := checks.Judgement{Outcome: checks.OutcomeInconclusive}
	looser := checks.SettingChange{Key: "gate.fail-on", Before: set(`"error"`), After: set(`"never"`), Direction: policy.Looser, Shown: true}
	out := map[string]*checks.Simulation{
		"loosens": {Policy: ref, Before: fails, After: &passes,
			Settings: []checks.SettingChange{looser,
				{Key: "strength.inputs", Before: set("32"), After: set("64"), Direction: policy.Stricter},
				{Key: "verus.args", Before: set("[]"), After: set(`["--rlimit", "20"]`), Direction: policy.Otherwise},
				{Key: "waivers.w", After: set(`{ rule = "trust/*", symbol = "**" }`), Direction: policy.Looser, Shown: true}},
			Findings: []checks.FindingChange{
				change("edit/exec-changed", "a::b", state(policy.Warning, "", false), state(policy.Notice, "", false)),
				change("trust/assume", "a::b", state(policy.Error, "", true), state(policy.Error, "w", false)),
				change("trust/admit", "a::b", state(policy.Error, "", true), nil),
				change("contract/ensures-weakened", "a::c", state(policy.Error, "", true), state(policy.Error, "", false))},
			Reasons: []checks.ReasonChange{{Change: "removed", Reason: checks.Reason{Stage: "parse", Text: "src/x.rs:1:1: not understood"}},
				{Change: "added", Reason: checks.Reason{Stage: "scope", Text: "the change touches no Verus code"}}}},
		"one": {Policy: ref, Before: checks.Judgement{Outcome: checks.OutcomeFindings, Blocking: 1}, After: &passes,
			Settings: []checks.SettingChange{looser}, Findings: []checks.FindingChange{change("trust/assume", "a::b", state(policy.Error, "", true), state(policy.Error, "", false))}},
		"some": {Policy: ref, Before: fails, After: &checks.Judgement{Outcome: checks.OutcomeFindings, Blocking: 2},
			Findings: []checks.FindingChange{change("trust/assume", "a::b", state(policy.Error, "", true), state(policy.Warning, "", false))}},
		"unsure": {Policy: ref, Before: unsure, After: &passes, Reasons: []checks.ReasonChange{{Change: "removed", Reason: checks.Reason{Stage: "parse", Text: "src/x.rs:1:1: not understood"}}}},
		"blocks": {Policy: ref, Before: passes, After: &checks.Judgement{Outcome: checks.OutcomeFindings, Blocking: 2},
			Findings: []checks.FindingChange{change("trust/assume", "a::b", state(policy.Warning, "", false), state(policy.Error, "", true)),
				change("trust/assume", "a::c", nil, state(policy.Error, "", true))}},
		"stops":   {Policy: ref, Before: passes, After: &unsure},
		"same":    {Policy: ref, Before: fails, After: &fails},
		"as much": {Policy: ref, Before: passes, After: &passes, Settings: []checks.SettingChange{looser}, Findings: []checks.FindingChange{change("edit/exec-changed", "a::b", state(policy.Warning, "", false), nil)}},
		"invalid": {Policy: ref, Before: passes, Errors: []checks.PolicyError{{File: ".specgate.toml", Span: span(3, 1, 8), Message: "unknown key `gate.fail_on`; did you mean `fail-on`?"},
			{File: ".specgate.toml", Span: span(4, 13, 14), Message: "`gate.min-suite` wants an integer from 1 to 10000, not the integer 0"}}},
		"an error": {Policy: ref, Before: passes, Errors: []checks.PolicyError{{File: ".specgate.toml", Span: span(1, 1, 1), Message: "no `version`"}}},
		"unknown":  {Policy: ref, Before: passes, NotSimulated: "the time limit of 1s ran out"},
	}
	for _, s := range out {
		s.Count()
	}
	return out
}

var htmlProposal = regexp.MustCompile(`(?s)<section class="proposed.*?</section>`)

// TestSimulation shows every verdict in every format that has it.
func TestSimulation(t *testing.T) {
	for name, s := range simulations() {
		t.Run(name, func(t *testing.T) {
			r := &checks.Report{Schema: checks.Schema, Base: checks.Revision{Rev: strings.Repeat("ab", 20)}, Head: checks.Revision{Rev: strings.Repeat("cd", 20)},
				Outcome: s.Before.Outcome, Simulation: s}
			var b, page, comment, summary bytes.Buffer
			if err := annotate.Text(&b, r, annotate.TextOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := annotate.Simulation(&b, &checks.SimulationReport{Base: r.Base, Head: r.Head, Policy: checks.PolicyRef{Source: "default"}, Simulation: s}, annotate.TextOptions{}); err != nil {
				t.Fatal(err)
			}
			run := annotate.NewCheckRun(r, options())
			fmt.Fprintf(&b, "=== title\n%s\n=== summary\n%s=== page\n", run.Title, run.Summary)
			if err := annotate.HTML(&page, r, options()); err != nil {
				t.Fatal(err)
			}
			b.Write(htmlProposal.Find(page.Bytes()))
			golden(t, "simulation/"+strings.ReplaceAll(name, " ", "-")+".txt", b.Bytes())

			// The comment and the summary of the job say what the summary of the check run says.
			part := run.Summary[strings.Index(run.Summary, "### The proposed policy"):strings.Index(run.Summary, "Run this locally")]
			if err := annotate.Markdown(&comment, r, options()); err != nil {
				t.Fatal(err)
			}
			if err := annotate.Summary(&summary, r, options()); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{comment.String(), summary.String()} {
				if !strings.Contains(text, part) {
					t.Errorf("%s\ndoes not have\n%s", text, part)
				}
			}
		})
	}
	var b bytes.Buffer
	if err := annotate.Simulation(&b, &checks.SimulationReport{}, annotate.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("The policy is the same in both: there is nothing to simulate. Name another with --policy.\n", b.String()); diff != "" {
		t.Error(diff)
	}
}

// hostileSimulation has text that no honest run writes, in every place that has text, n times.
func hostileSimulation(text string, n int) *checks.Simulation {
	s := &checks.Simulation{Policy: checks.PolicyRef{Source: text, SHA256: text}, NotSimulated: text, Before: checks.Judgement{Outcome: checks.OutcomeFindings, Blocking: -1}}
	for range n {
		s.Settings = append(s.Settings, checks.SettingChange{Key: text, Before: &text, After: &text, Direction: policy.Direction(text)})
		s.Findings = append(s.Findings, checks.FindingChange{Rule: text, Symbol: text, File: text, Message: text, Fingerprint: text,
			Before: &checks.FindingState{Severity: 9, Waived: &checks.WaiverRef{ID: text}, Blocks: true}})
		s.Reasons = append(s.Reasons, checks.ReasonChange{Change: text, Reason: checks.Reason{Stage: text, Text: text}})
		s.Errors = append(s.Errors, checks.PolicyError{File: text, Message: text})
	}
	return s
}

// TestSimulationHostile: whatever a proposed policy says, the formats keep their limits, and nothing of it is markup or moves a cursor.
func TestSimulationHostile(t *testing.T) {
	for _, text := range []string{nasty, strings.Repeat("<b>@everyone `x` | ", 10_000)} {
		for _, n := range []int{1, 3000} {
			if n > 1 && len(text) > 1000 {
				n = 100
			}
			for _, after := range []*checks.Judgement{nil, {Outcome: checks.OutcomePass, Passes: true}} {
				r := many(100)
				r.Simulation = hostileSimulation(text, n)
				if r.Simulation.After = after; after != nil {
					r.Simulation.Errors = nil
				}
				run := annotate.NewCheckRun(r, options())
				if len(run.Title) > 255 || len(run.Summary) > 65535 || len(run.Text) > 65535 {
					t.Errorf("a check run of %d, %d and %d bytes", len(run.Title), len(run.Summary), len(run.Text))
				}
				if !strings.Contains(run.Summary, "### Functions") || !strings.Contains(run.Summary, "Run this locally") {
					t.Error("the simulation pushes out what else the summary has")
				}
				var out, comment bytes.Buffer
				if err := annotate.Text(&out, r, annotate.TextOptions{}); err != nil {
					t.Fatal(err)
				}
				if err := annotate.Markdown(&comment, r, options()); err != nil {
					t.Fatal(err)
				}
				if comment.Len() > 65536 {
					t.Errorf("a comment of %d bytes", comment.Len())
				}
				for name, s := range map[string]string{"text": out.String(), "summary": run.Summary, "title": run.Title} {
					for _, c := range s {
						if c != '\n' && (unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp)) {
							t.Errorf("%s has %U", name, c)
							break
						}
					}
				}
				for _, markup := range []string{"<script", "<img", "<b>", "<x-", "@everyone"} {
					if strings.Contains(run.Summary, markup) || strings.Contains(comment.String(), markup) {
						t.Errorf("the summary or the comment has %s", markup)
					}
				}
				page := pageOf(t, r, options())
				if len(page) > 20<<20 {
					t.Errorf("a page of %d bytes", len(page))
				}
				if bytes.Contains(page, []byte("<x-owned>")) || bytes.Contains(page, []byte("<b>@everyone")) {
					t.Error("the page has markup of the policy")
				}
			}
		}
	}
}
