package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/policy"
)

// states are what a report, or a simulation applied to one, makes of each finding.
func states(findings []checks.Finding, failOn policy.FailOn) map[string]string {
	out := map[string]string{}
	for _, f := range findings {
		out[f.Fingerprint] = state(f.Rule, &checks.FindingState{Severity: f.Severity, Waived: f.Waived, Blocks: f.Waived == nil && failOn.Reached(f.Severity)})
	}
	return out
}

func state(rule string, s *checks.FindingState) string {
	waiver := ""
	if s.Waived != nil {
		waiver = s.Waived.ID
	}
	return fmt.Sprintf("%s %s %q %v", rule, s.Severity, waiver, s.Blocks)
}

// applied is the states of a report after its simulation.
func applied(r *engine.Result, s *checks.Simulation) map[string]string {
	out := states(r.Report.Findings, r.Policy.Gate.FailOn)
	for _, c := range s.Findings {
		if c.After == nil {
			delete(out, c.Fingerprint)
		} else {
			out[c.Fingerprint] = state(c.Rule, c.After)
		}
	}
	return out
}

func appliedReasons(before []checks.Reason, s *checks.Simulation) []checks.Reason {
	out := slices.Clone(before)
	for _, c := range s.Reasons {
		if c.Change == "removed" {
			out = slices.DeleteFunc(out, func(r checks.Reason) bool { return r == c.Reason })
		} else {
			out = append(out, c.Reason)
		}
	}
	return out
}

const waiverText = `[waivers.%s]
rule = "%s"
symbol = "%s"
reason = "r"
owner = "@o"
expires = %s
`

// TestSimulation: what a simulation shows of a policy is what a run that is judged by it finds, and the outcome of the check is that of base's policy.
func TestSimulation(t *testing.T) {
	for _, c := range []struct {
		name, base, head string
		run              bool     // code is run, which takes rustc
		unshown          []string // settings of which the check does not show all
	}{
		{name: "fail-on", head: "[gate]\nfail-on = \"never\"\n"},
		{name: "everything blocks", base: "[gate]\nfail-on = \"never\"\n", head: "[gate]\nfail-on = \"notice\"\n"},
		{name: "rules", base: "[rules]\n\"edit/*\" = \"off\"\n", head: "[rules]\n\"trust/*\" = \"off\"\n\"contract/*\" = \"notice\"\n"},
		{name: "paths", head: "[paths.\"src/*\".rules]\n\"trust/assume\" = \"notice\"\n[paths.\"src/li?.rs\".rules]\n\"trust/*\" = \"warning\"\n"},
		{name: "edits", head: "[scope]\nexecutable-edits = \"deny\"\n"},
		{name: "scope", head: "[scope]\nexclude = [\"src/odd.rs\", \"src/lib.rs\"]\n"},
		{name: "scope that was smaller", base: "[scope]\ninclude = [\"src/none.rs\"]\n", head: "[scope]\ninclude = [\"src/**\"]\n"},
		{name: "inconclusive", head: "[gate]\ninconclusive = \"warn\"\n"},
		{name: "waivers", base: fmt.Sprintf(waiverText, "out", "trust/*", "same", "2025-01-01"),
			head: fmt.Sprintf(waiverText, "in", "trust/*", "same", "2026-01-01") + fmt.Sprintf(waiverText, "nothing", "trust/admit", "gone::**", "2027-01-01")},
		{name: "removed", base: "[rules]\n\"trust/assume\" = \"notice\"\n", head: "-"},
		{name: "thresholds", head: "[strength]\nmin = 0.1\nmax-drop = 0.9\n", run: true},
		{name: "a lower threshold", base: "[strength]\nmin = 0.1\nmax-drop = 1.0\n", head: "[strength]\nmin = 1.0\n[gate]\nmin-suite = 1000\n", run: true},
		{name: "inputs", head: "[strength]\ninputs = 2\nmutants = 0\nseed = 7\n", run: true, unshown: []string{"strength.inputs", "strength.mutants", "strength.seed"}},
		{name: "scope of what is measured", head: "[scope]\nexclude = [\"src/lib.rs\"]\n", run: true, unshown: []string{"scope.exclude"}},
		{name: "isolation", head: "[gate]\nsandbox = \"off\"\n", run: true, unshown: []string{"gate.sandbox"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t)
			r.write("src/lib.rs", honest)
			r.write("src/odd.rs", honest)
			if c.base != "" {
				r.write(policy.FileName, "version = 1\n"+c.base)
			}
			if c.run {
				text, err := os.ReadFile("../../testdata/corpus/max-weak/base.rs")
				if err != nil {
					t.Fatal(err)
				}
				r.write("src/lib.rs", string(text))
			}
			r.commit("base")
			proposed := filepath.Join(t.TempDir(), "policy.toml")
			text := "version = 1\n" + c.head
			if c.head == "-" {
				text = "version = 1\n"
				if err := os.Remove(filepath.Join(r.dir, policy.FileName)); err != nil {
					t.Fatal(err)
				}
			} else {
				r.write(policy.FileName, text)
			}
			if err := os.WriteFile(proposed, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			r.write("src/lib.rs", strings.Replace(assumed, "r == x,", "r >= x,", 1))
			r.write("src/odd.rs", "verus! { fn odd(x: -> { }")
			if c.run {
				text, err := os.ReadFile("../../testdata/corpus/max-weak/head.rs")
				if err != nil {
					t.Fatal(err)
				}
				r.write("src/lib.rs", string(text))
				r.write("src/odd.rs", honest)
			}
			r.commit("head")
			o := r.options()
			if c.run {
				o.Compiler = compiler(t)
			}

			got := check(t, o)
			s := got.Report.Simulation
			if s == nil || s.After == nil {
				t.Fatalf("no simulation: %+v", s)
			}
			var unshown []string
			for _, x := range s.Settings {
				if !x.Shown {
					unshown = append(unshown, x.Key)
				}
			}
			if diff := cmp.Diff(c.unshown, unshown); diff != "" {
				t.Errorf("settings whose effect is not shown (-want +got):\n%s", diff)
			}
			report, err := engine.Simulate(context.Background(), o, "")
			if err != nil {
				t.Fatal(err)
			}
			whole := report.Simulation
			if c.unshown == nil {
				if diff := cmp.Diff(s, whole); diff != "" {
					t.Errorf("the check's simulation, and that of the command (-check +command):\n%s", diff)
				}
			}
			for _, x := range whole.Settings {
				if !x.Shown {
					t.Errorf("the command does not show %s", x.Key)
				}
			}

			o.Policy = proposed
			want := check(t, o)
			if diff := cmp.Diff(states(want.Report.Findings, want.Policy.Gate.FailOn), applied(got, whole)); diff != "" {
				t.Errorf("findings (-by the proposed policy +simulated):\n%s", diff)
			}
			if diff := cmp.Diff(want.Report.Reasons, appliedReasons(got.Report.Reasons, whole), cmp.Transformer("sorted", func(in []checks.Reason) []checks.Reason {
				out := slices.Clone(in)
				slices.SortFunc(out, func(a, b checks.Reason) int { return strings.Compare(a.Stage+a.Text, b.Stage+b.Text) })
				return out
			})); diff != "" {
				t.Errorf("reasons (-by the proposed policy +simulated):\n%s", diff)
			}
			if whole.After.Outcome != want.Report.Outcome {
				t.Errorf("the outcome is %s, simulated %s", want.Report.Outcome, whole.After.Outcome)
			}
			if whole.Before.Outcome != got.Report.Outcome {
				t.Errorf("the outcome is %s, by the simulation %s", got.Report.Outcome, whole.Before.Outcome)
			}
			if want.Report.Simulation != nil {
				t.Error("a change that is judged by a policy of somebody's choice is simulated")
			}
		})
	}
}

// TestSimulationBounds: a policy that is made to take long is not judged by in a check, and one that cannot be read stops nothing.
func TestSimulationBounds(t *testing.T) {
	r := newRepo(t)
	r.write("src/lib.rs", honest)
	r.commit("base")
	var slow strings.Builder
	slow.WriteString("version = 1\n")
	for i := range 1000 {
		fmt.Fprintf(&slow, "[paths.\"%d{a,b,c,d,e,f}{a,b,c,d,e,f}{a,b,c,d,e}/**\".rules]\n\"trust/*\" = \"off\"\n", i)
	}
	r.write(policy.FileName, slow.String())
	r.write("src/lib.rs", assumed)
	r.commit("head")
	start := time.Now()
	got := check(t, r.options()).Report
	t.Logf("took %v", time.Since(start))
	if got.Outcome != checks.OutcomeFindings || got.Simulation == nil || got.Simulation.After != nil || !strings.HasPrefix(got.Simulation.NotSimulated, "the policy has so many globs") {
		t.Errorf("outcome %s, simulation %+v", got.Outcome, got.Simulation)
	}
	report, err := engine.Simulate(context.Background(), r.options(), "")
	if err != nil {
		t.Fatal(err)
	}
	if s := report.Simulation; s.After == nil || len(s.Settings) != 1000 {
		t.Errorf("the command's simulation: %+v", s.After)
	}

	o := r.options()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := engine.Simulate(ctx, o, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that was called off: %v", err)
	}
	o.Timeout = time.Nanosecond
	var late *engine.TimeoutError
	if _, err := engine.Simulate(context.Background(), o, ""); !errors.As(err, &late) {
		t.Errorf("a run without time: %v", err)
	}
}
