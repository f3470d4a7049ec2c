// Package registrytest keeps, for tests, what is posted on a check run about the example of each rule, so that docs/rules.md can show it. The
// tests that run the examples are in several packages, as rules need different things.
package registrytest

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/specgate/specgate/annotate"
	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/goldentest"
)

// Severities checks that each finding of a rule, before a policy has judged it, has a severity that the rule's data name.
func Severities(t testing.TB, rules []*checks.Rule, findings []checks.Finding) {
	t.Helper()
	for _, f := range findings {
		for _, r := range rules {
			if r.ID == f.Rule && f.Severity != r.Severity && !slices.ContainsFunc(r.Otherwise, func(w checks.Weight) bool { return w.Severity == f.Severity }) {
				t.Errorf("%s at %s is %s, and the rule says: %s", f.Rule, f.Symbol, f.Severity, r.Weights())
			}
		}
	}
}

// Annotation compares what is posted about the findings of a rule with the file of the rule below dir, FAMILY/NAME.txt, or writes it if update is
// set. Of several findings it is about the first.
func Annotation(t testing.TB, dir string, update bool, rules []*checks.Rule, id string, findings []checks.Finding) {
	t.Helper()
	var only []checks.Finding
	for _, f := range findings {
		if f.Rule == id && len(only) == 0 {
			only = append(only, f)
		}
	}
	run := annotate.NewCheckRun(&checks.Report{Outcome: checks.OutcomeFindings, Findings: only}, annotate.Options{Rules: rules})
	if len(run.Annotations) != 1 {
		t.Errorf("%s: %d annotations of %d findings", id, len(run.Annotations), len(only))
		return
	}
	a := run.Annotations[0]
	got := a.Title + "\n\n" + a.Message + "\n"
	goldentest.Compare(t, filepath.Join(dir, filepath.FromSlash(id)+".txt"), got, update)
}
