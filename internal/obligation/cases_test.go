package obligation_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/value"
)

// TestSecondTries checks which questions get a second try: not those that are proved, of which the opposite is proved, or that the front end refused.
func TestSecondTries(t *testing.T) {
	m := build(t, one("verus! {\nspec fn twice(n: u8) -> int decreases n { if n == 0 { 0 } else { 2 + twice((n - 1) as u8) } }\nfn f(n: u8) -> (r: u8) ensures r == twice(n) { n }\n}\n"))
	f := function(t, m, "f")
	w := obligation.NewWriter(m, nil)
	w.Cases(f, []eval.Case{{Args: []value.Value{u(1, value.U8)}, Result: u(2, value.U8)}, {Args: []value.Value{u(1, value.U8)}, Result: u(3, value.U8)}})
	w.Cases(f, []eval.Case{{Args: []value.Value{u(2, value.U8)}, Result: u(4, value.U8)}}, obligation.SpectestEscaped)
	plan := w.Plan()
	results := map[string]obligation.Verdict{plan.Shadows[0].Canary: obligation.NotProved}
	// In order: rejected 0, escaped 0, rejected 1, escaped 1, escaped 0 of the second list.
	verdicts := []obligation.Verdict{obligation.NotProved, obligation.Proved, obligation.Rejected, obligation.NotProved, obligation.TimedOut}
	if len(plan.Obligations) != len(verdicts) {
		t.Fatalf("%d questions", len(plan.Obligations))
	}
	for i, v := range verdicts {
		results[plan.Obligations[i].Names[0]] = v
	}
	plan.Second(results)
	var got []string
	for i, o := range plan.Obligations {
		got = append(got, fmt.Sprintf("%d %s: %d", i, o.Question, len(o.Names)))
	}
	if diff := cmp.Diff([]string{"0 spectest rejected: 1", "1 spectest escaped: 1", "2 spectest rejected: 1", "3 spectest escaped: 2", "4 spectest escaped: 2"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestWithout checks that definitions of base's go with the last question that compares, and that places in a shadow are found in its file.
func TestWithout(t *testing.T) {
	const before = "verus! {\nspec fn top() -> int { 9 }\nfn f(n: u8) -> (r: u8) requires n < 9 ensures r < top() { n }\n}\n"
	const after = "verus! {\nspec fn top() -> int { 8 }\nfn f(n: u8) -> (r: u8) requires n < 8 ensures r < top() { n }\nfn last() {}\n}\n"
	p := pairsOf(t, one(before), one(after))
	w := obligation.NewWriter(p.Head, p)
	f := function(t, p.Head, "f")
	w.Compare(p.OfHead(f))
	w.Contract(f)
	s := w.Plan().Shadows[0]
	var comparing []string
	for _, part := range s.Parts {
		if part.Obligation != nil && part.Obligation.Pair != nil {
			comparing = append(comparing, part.Name)
		}
	}
	count := func(s *obligation.Shadow) string {
		return fmt.Sprintf("%d parts, 9 is there %t", len(s.Parts), bytes.Contains(s.Text, []byte("{ 9 }")))
	}
	got := []string{count(s), count(s.Without(comparing[1:]...)), count(s.Without(comparing...))}
	n, k := len(s.Parts), len(comparing)
	want := []string{fmt.Sprintf("%d parts, 9 is there true", n), fmt.Sprintf("%d parts, 9 is there true", n-k+1), fmt.Sprintf("%d parts, 9 is there false", n-k)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s\n%s", diff, s.Text)
	}
	file := source.NewFile("src/lib.rs", []byte(after))
	for _, mark := range []string{"verus!", "fn f(n", "fn last"} {
		at, own := s.Origin(bytes.Index(s.Text, []byte(mark)))
		if !own || at != bytes.Index(file.Text, []byte(mark)) {
			t.Errorf("%s is at %d (%t), want %d", mark, at, own, bytes.Index(file.Text, []byte(mark)))
		}
	}
	for _, part := range s.Parts {
		if at, own := s.Origin(part.Span.Start); own || at <= bytes.Index(file.Text, []byte("fn f(n")) || at > bytes.Index(file.Text, []byte("fn last")) {
			t.Errorf("%s is at %d (%t)", part.Name, at, own)
		}
	}
}
