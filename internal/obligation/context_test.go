package obligation_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/obligation"
)

// TestContextResult: a copy that promises something has to name its result.
func TestContextResult(t *testing.T) {
	for _, c := range []struct{ name, fn, want string }{
		{"no result", "fn f(x: u32) {\n}", "fn PRE_2(x: u32) ensures false, {"},
		{"unit", "fn f(x: u32) -> () {\n}", "fn PRE_2(x: u32) -> () ensures false, {"},
		{"named", "fn f(x: u32) -> (r: u32)\n    ensures r == x,\n{\n    x\n}", "fn PRE_2(x: u32) -> (r: u32) ensures false, {"},
		{"not named", "fn f(x: u32) -> u32 {\n    x\n}", "fn PRE_2(x: u32) -> (PRE_result: u32) ensures false, {"},
		{"a lemma's", "proof fn f(tracked x: u32) -> tracked u32 {\n    x\n}", "proof fn PRE_2(tracked x: u32) -> (tracked PRE_result: u32) ensures false, {"},
	} {
		m := build(t, map[string][]byte{"src/lib.rs": []byte("use vstd::prelude::*;\n\nverus! {\n\n" + c.fn + "\n\n} // verus!\n")})
		w := obligation.NewWriter(m, nil)
		w.Context(m.Function("f")[0])
		plan := w.Plan()
		if len(plan.Shadows) != 1 {
			t.Errorf("%s: skipped: %+v", c.name, plan.Skipped)
			continue
		}
		s := plan.Shadows[0]
		part := s.Parts[len(s.Parts)-1].Span
		text := strings.ReplaceAll(string(s.Text[part.Start:part.End]), s.Prefix(), "PRE_")
		text = regexp.MustCompile(`\s+`).ReplaceAllString(text, " ")
		if i := strings.IndexByte(text, '{'); i >= 0 {
			text = text[:i+1]
		}
		if diff := cmp.Diff(c.want, text); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestChosenQuestions: only what is wanted of the questions about one contract is asked.
func TestChosenQuestions(t *testing.T) {
	m := build(t, map[string][]byte{"src/lib.rs": []byte("use vstd::prelude::*;\n\nverus! {\n\nfn f(x: u32) -> (r: u32)\n    requires x > 0, x < 9,\n    ensures r > 0, r < 9,\n{\n    x\n}\n\n} // verus!\n")})
	f := m.Function("f")[0]
	for _, c := range []struct {
		name string
		ask  func(w *obligation.Writer)
		want string
	}{
		{"all", func(w *obligation.Writer) { w.Contract(f) }, "contradictory impossible trivial unique clause redundant clause redundant clause redundant clause redundant"},
		{"some", func(w *obligation.Writer) { w.Contract(f, obligation.Unique, obligation.Contradictory) }, "contradictory unique"},
		{"a clause", func(w *obligation.Writer) { w.Redundant(f, nil); w.Redundant(f, clausesOf(f.Own, 2)) }, "clause redundant"},
	} {
		w := obligation.NewWriter(m, nil)
		c.ask(w)
		var got []string
		for _, o := range w.Plan().Obligations {
			got = append(got, o.Question.String())
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// clausesOf points at the nth clause of a list.
func clausesOf(list []model.Clause, n int) []*model.Clause { return []*model.Clause{&list[n]} }
