package publish

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/engine"
	"github.com/specgate/specgate/internal/github"
	"github.com/specgate/specgate/internal/github/githubtest"
	"github.com/specgate/specgate/internal/policy"
)

func TestJudge(t *testing.T) {
	day := policy.Date{Year: 2026, Month: time.January, Day: 1}
	const waiver = "[waivers.w]\nrule = \"trust/assume\"\nsymbol = \"a::f\"\nreason = \"r\"\nowner = \"@o\"\nexpires = 2026-06-30\n"
	for _, c := range []struct {
		name, policy string
		change       func(r *checks.Report)
		outcome      checks.Outcome
		notes        []string
		strict       bool
		labels       []string
		accepted     map[string]checks.WaiverRef
	}{
		{"as it is", "", func(r *checks.Report) {}, checks.OutcomeFindings, nil, false, nil, nil},
		{"pass in spite of an error", "", func(r *checks.Report) { r.Outcome = checks.OutcomePass }, checks.OutcomeFindings, []string{"the outcome is findings, not pass"}, false, nil, nil},
		{"pass", "", func(r *checks.Report) { r.Outcome, r.Findings = checks.OutcomePass, nil }, checks.OutcomePass, nil, false, nil, nil},
		{"findings without any", "", func(r *checks.Report) { r.Findings = nil }, checks.OutcomeFindings, nil, false, nil, nil},
		{"milder than a key of the policy", "[rules]\n\"trust/assume\" = \"error\"\n", func(r *checks.Report) { r.Outcome, r.Findings[0].Severity = checks.OutcomePass, policy.Notice },
			checks.OutcomeFindings, []string{`trust/assume in "a::f" is error by the policy, not notice`, "the outcome is findings, not pass"}, false, nil, nil},
		{"harder than the policy", "[rules]\n\"trust/assume\" = \"notice\"\n", func(r *checks.Report) {}, checks.OutcomeFindings, nil, false, nil, nil},
		{"waived", waiver, func(r *checks.Report) {
			r.Outcome, r.Findings[0].Waived = checks.OutcomePass, &checks.WaiverRef{ID: "w"}
		}, checks.OutcomePass, nil, false, nil, nil},
		{"waived by nothing", "", func(r *checks.Report) {
			r.Outcome, r.Findings[0].Waived = checks.OutcomePass, &checks.WaiverRef{ID: "w"}
		}, checks.OutcomeFindings, []string{`trust/assume in "a::f" is waived by "w", which the policy does not say`, "the outcome is findings, not pass"}, false, nil, nil},
		{"waived by one that has run out", strings.Replace(waiver, "2026-06-30", "2025-12-31", 1), func(r *checks.Report) {
			r.Outcome, r.Findings[0].Waived = checks.OutcomePass, &checks.WaiverRef{ID: "w"}
		}, checks.OutcomeFindings, []string{`trust/assume in "a::f" is waived by "w", which the policy does not say`, "the outcome is findings, not pass"}, false, nil, nil},
		{"what the waiver hid", strings.NewReplacer("2026-06-30", "2025-12-31", "trust/assume", "contract/spec-definition-changed").Replace(waiver), func(r *checks.Report) {
			f := &r.Findings[0]
			r.Outcome, f.Rule, f.Severity, f.Waived = checks.OutcomePass, "contract/spec-definition-changed", policy.Warning, &checks.WaiverRef{ID: "w"}
		}, checks.OutcomeInconclusive, []string{`contract/spec-definition-changed in "a::f" is waived by "w", which the policy does not say`, "the outcome is inconclusive, not pass"}, false, nil, nil},
		{"what the waiver hid, and an error that is accepted", "", func(r *checks.Report) {
			r.Findings = append(r.Findings, r.Findings[0])
			f := &r.Findings[1]
			f.Fingerprint, f.Rule, f.Severity, f.Waived = strings.Repeat("cd", 16), "contract/direction-unknown", policy.Warning, &checks.WaiverRef{ID: "w"}
		}, checks.OutcomeInconclusive, []string{`trust/assume in "a::f" is waived: @alice: reviewed`, `contract/direction-unknown in "a::f" is waived by "w", which the policy does not say`,
			"the outcome is inconclusive, not findings"}, false, nil, map[string]checks.WaiverRef{strings.Repeat("ab", 16): {ID: "@alice: reviewed"}}},
		{"a waiver that hid nothing", "", func(r *checks.Report) {
			f := &r.Findings[0]
			r.Outcome, f.Rule, f.Severity, f.Waived = checks.OutcomePass, "contract/incomparable", policy.Warning, &checks.WaiverRef{ID: "w"}
		}, checks.OutcomePass, []string{`contract/incomparable in "a::f" is waived by "w", which the policy does not say`}, false, nil, nil},
		{"not parsed", "", func(r *checks.Report) {
			r.Outcome, r.Findings, r.Reasons = checks.OutcomePass, nil, []checks.Reason{{Stage: "parse", Text: "x"}}
		}, checks.OutcomeInconclusive, []string{"the outcome is inconclusive, not pass"}, false, nil, nil},
		{"not parsed, which the policy lets pass", "[gate]\ninconclusive = \"ignore\"\n", func(r *checks.Report) {
			r.Outcome, r.Findings, r.Reasons = checks.OutcomePass, nil, []checks.Reason{{Stage: "read", Text: "x"}}
		}, checks.OutcomeInconclusive, []string{"the outcome is inconclusive, not pass"}, false, nil, nil},
		{"inconclusive and findings", "[gate]\ninconclusive = \"warn\"\n", func(r *checks.Report) { r.Outcome = checks.OutcomeInconclusive }, checks.OutcomeFindings, []string{"the outcome is findings, not inconclusive"}, false, nil, nil},
		{"out of time", "[gate]\ninconclusive = \"ignore\"\n", func(r *checks.Report) {
			r.Outcome, r.Findings, r.Reasons = checks.OutcomePass, nil, []checks.Reason{{Stage: "time", Text: "x"}}
		}, checks.OutcomeInconclusive, []string{"the outcome is inconclusive, not pass"}, true, nil, nil},
		{"error", "", func(r *checks.Report) { r.Outcome = checks.OutcomeError }, checks.OutcomeError, nil, false, nil, nil},
		{"blocks never", "[gate]\nfail-on = \"never\"\n", func(r *checks.Report) { r.Outcome = checks.OutcomePass }, checks.OutcomePass, nil, false, nil, nil},
		{"label", "[scope]\nexecutable-edits = \"deny\"\n", func(r *checks.Report) { r.Findings[0].Rule = "edit/exec-changed" }, checks.OutcomePass,
			[]string{`edit/exec-changed in "a::f" is notice because of the label "implementation", not error`, "the outcome is pass, not findings"}, false, []string{"bug", "implementation"}, nil},
		{"another label", "[scope]\nexecutable-edits = \"deny\"\n", func(r *checks.Report) { r.Findings[0].Rule = "edit/exec-changed" }, checks.OutcomeFindings, nil, false, []string{"bug"}, nil},
		{"label, and something else blocks", "[scope]\nexecutable-edits = \"deny\"\n", func(r *checks.Report) {
			r.Findings = append(r.Findings, r.Findings[0])
			r.Findings[0].Rule = "edit/exec-changed"
		}, checks.OutcomeFindings, []string{`edit/exec-changed in "a::f" is notice because of the label "implementation", not error`}, false, []string{"implementation"}, nil},
		{"label, and reasons that the policy lets pass", "[gate]\ninconclusive = \"warn\"\n[scope]\nexecutable-edits = \"deny\"\n", func(r *checks.Report) { r.Findings[0].Rule = "edit/exec-changed" }, checks.OutcomeInconclusive,
			[]string{`edit/exec-changed in "a::f" is notice because of the label "implementation", not error`, "the outcome is inconclusive, not findings"}, false, []string{"implementation"}, nil},
		{"label, and another reason for the outcome", "", func(r *checks.Report) {
			r.Findings[0].Rule, r.Findings[0].Severity = "edit/exec-changed", policy.Warning
		}, checks.OutcomeFindings, []string{`edit/exec-changed in "a::f" is notice because of the label "implementation", not warning`}, false, []string{"implementation"}, nil},
		{"accepted", "", func(r *checks.Report) {}, checks.OutcomePass, []string{`trust/assume in "a::f" is waived: @alice: reviewed`, "the outcome is pass, not findings"}, false, nil,
			map[string]checks.WaiverRef{strings.Repeat("ab", 16): {ID: "@alice: reviewed"}}},
		{"accepted, and waived already", waiver, func(r *checks.Report) {
			r.Outcome, r.Findings[0].Waived = checks.OutcomePass, &checks.WaiverRef{ID: "w"}
		}, checks.OutcomePass, nil, false, nil, map[string]checks.WaiverRef{strings.Repeat("ab", 16): {ID: "@alice: reviewed"}}},
		{"another finding accepted", "", func(r *checks.Report) {}, checks.OutcomeFindings, nil, false, nil, map[string]checks.WaiverRef{strings.Repeat("cd", 16): {ID: "@alice: reviewed"}}},
		{"accepted, and not parsed", "", func(r *checks.Report) {
			r.Outcome, r.Reasons = checks.OutcomeInconclusive, []checks.Reason{{Stage: "parse", Text: "x"}}
		}, checks.OutcomeInconclusive, []string{`trust/assume in "a::f" is waived: @alice: reviewed`}, false, nil, map[string]checks.WaiverRef{strings.Repeat("ab", 16): {ID: "@alice: reviewed"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			pol, err := policy.Parse(policy.FileName, []byte("version = 1\n"+c.policy), engine.RuleInfos())
			if err != nil {
				t.Fatal(err)
			}
			r := wholeReport()
			c.change(r)
			j := Judge(r, pol, c.labels, c.accepted, day)
			if r.Outcome != c.outcome || j.Strict != c.strict {
				t.Errorf("outcome %v, strict %v; want %v, %v", r.Outcome, j.Strict, c.outcome, c.strict)
			}
			if diff := cmp.Diff(c.notes, j.Notes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The name of a check run says for which branch it counts, also where the branch's name has no room in it.
func TestCheckName(t *testing.T) {
	for into, want := range map[string]string{
		"":                       "specgate report",
		"release/1.0":            "specgate report (release/1.0)",
		strings.Repeat("é", 118): "specgate report (" + strings.Repeat("é", 118) + ")",
		strings.Repeat("é", 119): "specgate report (ca85cf99fac271c7813d32698b4cad46f54b51b1842c4ff1bc907a466758d572)",
	} {
		for _, target := range []*Target{{Into: into}, {Into: "another", Pull: &github.Pull{Into: into}}} {
			if got := target.checkName(); got != want || len(got) > maxName {
				t.Errorf("%q: %q, want %q", into, got, want)
			}
		}
	}
}

// A simulation tells of the findings as they were judged, with what a label allows and what people accepted.
func TestJudgeSimulation(t *testing.T) {
	r := wholeReport()
	r.Simulation.Findings = append(r.Simulation.Findings, r.Simulation.Findings[0])
	r.Simulation.Findings[1].Fingerprint = strings.Repeat("cd", 16) // the report has no such finding
	Judge(r, policy.Default(), nil, map[string]checks.WaiverRef{strings.Repeat("ab", 16): {ID: "accepted by someone"}}, policy.Date{Year: 2026, Month: time.January, Day: 1})
	s := r.Simulation
	if diff := cmp.Diff(checks.Judgement{Outcome: checks.OutcomePass, Passes: true}, s.Before); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	want := []*checks.FindingState{{Severity: policy.Error, Waived: &checks.WaiverRef{ID: "accepted by someone"}}, nil}
	if diff := cmp.Diff(want, []*checks.FindingState{s.Findings[0].Before, s.Findings[1].Before}); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if s.Passes != 0 || s.Stops != 0 {
		t.Errorf("%d pass and %d stop", s.Passes, s.Stops)
	}
}

// numbers is a commit of a GitHub with one repository, by a token that can read.
func numbers(t *testing.T, sha string, there githubtest.Repo) *Target {
	t.Helper()
	hub := githubtest.New(githubtest.State{"acme/numbers": &there}, "")
	t.Cleanup(hub.Close)
	hub.AddToken("job", githubtest.Token{Login: "github-actions[bot]", AppID: 15368, Permissions: map[string]string{"contents": "read"}})
	client, err := github.New(github.Options{BaseURL: hub.URL, Token: "job", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	repo, err := github.ParseRepo("acme/numbers")
	if err != nil {
		t.Fatal(err)
	}
	return &Target{Client: client, Repo: repo, SHA: sha}
}

// TestBase: without a pull request, too, a report is taken only if it compares with where the commit left the default branch. An older commit could
// have a milder policy, or what is new in the change already.
func TestBase(t *testing.T) {
	sha := func(c string) string { return strings.Repeat(c, 40) }
	// a <- b <- c is the default branch, and d is made from b.
	there := githubtest.Repo{Default: sha("c"), Commits: map[string]githubtest.Commit{
		sha("a"): {}, sha("b"): {Parents: []string{sha("a")}}, sha("c"): {Parents: []string{sha("b")}}, sha("d"): {Parents: []string{sha("b")}}}}
	for _, c := range []struct{ head, base, refused string }{
		{"d", "b", ""},
		{"d", "a", "the report compares with A, and the merge base with the default branch is B; check it with --base B"},
		{"d", "c", "the report compares with C, and the merge base with the default branch is B; check it with --base B"},
		{"d", "d", "the report compares with D, and the merge base with the default branch is B; check it with --base B"},
		{"c", "b", ""},
		{"c", "a", ""},
		{"c", "d", "the report compares with D, which C does not come from"},
		{"b", "a", ""},
		{"b", "c", "the report compares with C, which B does not come from"},
	} {
		r := wholeReport()
		r.Base.Rev, r.Head.Rev, r.Simulation = sha(c.base), sha(c.head), nil
		_, err := numbers(t, sha(c.head), there).Untrusted(t.Context(), r, policy.Date{Year: 2026, Month: time.January, Day: 1})
		got := ""
		if err != nil {
			got = strings.NewReplacer(sha("a"), "A", sha("b"), "B", sha("c"), "C", sha("d"), "D").Replace(err.Error())
		}
		if got != c.refused {
			t.Errorf("%s compared with %s: %q, want %q", c.head, c.base, got, c.refused)
		}
	}
}

// TestSimulateCostly: a proposed policy that would take hours is not asked about the findings of a report, whatever the report says of it.
func TestSimulateCostly(t *testing.T) {
	r := wholeReport()
	glob := strings.Repeat("{a,b,c,d,e,f}", 3)
	text := "version = 1\n[scope]\ninclude = ["
	for i := range 5000 {
		text += fmt.Sprintf("%q,\n", fmt.Sprint(glob, i))
	}
	text += "]\n"
	target := numbers(t, r.Head.Rev, githubtest.Repo{Default: r.Base.Rev, Commits: map[string]githubtest.Commit{
		r.Base.Rev: {}, r.Head.Rev: {Parents: []string{r.Base.Rev}, Files: map[string]string{policy.FileName: text}}}})
	ref := checks.PolicyRef{Source: r.Head.Rev + ":" + policy.FileName, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(text)))}
	r.Simulation.Policy = ref
	j := Judge(r, policy.Default(), nil, nil, policy.Date{Year: 2026, Month: time.January, Day: 1})
	if err := target.simulate(t.Context(), j, policy.Date{Year: 2026, Month: time.January, Day: 1}); err != nil {
		t.Fatal(err)
	}
	want := &checks.Simulation{Policy: ref, Before: checks.Judgement{Outcome: checks.OutcomeFindings, Blocking: 1},
		NotSimulated: "the policy has so many globs and waivers, and the change so many findings and functions, that it would take long; `specgate policy simulate` takes the time"}
	if diff := cmp.Diff(want, r.Simulation); diff != "" {
		t.Error(diff)
	}
}
