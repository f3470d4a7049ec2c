package obligation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/obligation"
	"github.com/specgate/specgate/internal/source"
	"github.com/specgate/specgate/internal/syntax"
)

func TestRelate(t *testing.T) {
	const (
		rs, ew, rw, es = obligation.RequiresNotStronger, obligation.EnsuresNotWeaker, obligation.RequiresNotWeaker, obligation.EnsuresNotStronger
		holds, fails   = obligation.Holds, obligation.Fails
		unknown, both  = obligation.Unknown, obligation.Both
	)
	type q = obligation.Question
	tests := []struct {
		name            string
		proved          []q
		found           obligation.Witnesses
		want            obligation.Relation
		atLeast, atMost obligation.Truth
		missing         []q
	}{
		{"all four hold", []q{rs, ew, rw, es}, obligation.Witnesses{}, obligation.Equal, holds, holds, nil},
		{"a promise more, and a result refused", []q{rs, ew, rw}, obligation.Witnesses{Refused: true}, obligation.Stronger, holds, fails, nil},
		{"a promise more, and no witness", []q{rs, ew, rw}, obligation.Witnesses{}, obligation.Undecided, holds, unknown, []q{es}},
		{"more calls allowed", []q{rs, ew, es}, obligation.Witnesses{Gained: true}, obligation.Stronger, holds, fails, nil},
		{"a promise less", []q{rs, rw, es}, obligation.Witnesses{Accepted: true}, obligation.Weaker, fails, holds, nil},
		{"fewer calls allowed", []q{ew, rw, es}, obligation.Witnesses{Lost: true}, obligation.Weaker, fails, holds, nil},
		{"fewer calls allowed, and no witness", []q{ew, rw, es}, obligation.Witnesses{}, obligation.Undecided, unknown, holds, []q{rs}},
		{"one promise for another", []q{rs, rw}, obligation.Witnesses{Accepted: true, Refused: true}, obligation.Incomparable, fails, fails, nil},
		{"fewer calls, more promised", []q{ew, rw}, obligation.Witnesses{Lost: true, Refused: true}, obligation.Incomparable, fails, fails, nil},
		{"fewer calls, more promised, half refuted", []q{ew, rw}, obligation.Witnesses{Lost: true}, obligation.Undecided, fails, unknown, []q{es}},
		{"witnesses alone", nil, obligation.Witnesses{Lost: true, Gained: true}, obligation.Incomparable, fails, fails, []q{ew, es}},
		{"nothing is known", nil, obligation.Witnesses{}, obligation.Undecided, unknown, unknown, []q{rs, ew, rw, es}},
		{"proved and refuted", []q{rs, ew, rw, es}, obligation.Witnesses{Accepted: true}, obligation.Undecided, both, holds, nil},
	}
	for _, test := range tests {
		verdicts := map[q]obligation.Verdict{}
		for _, x := range []q{rs, ew, rw, es} {
			verdicts[x] = obligation.NotProved
			if slices.Contains(test.proved, x) {
				verdicts[x] = obligation.Proved
			}
		}
		d := obligation.Relate(verdicts, test.found)
		if d.Relation != test.want || d.AtLeast != test.atLeast || d.AtMost != test.atMost || !slices.Equal(d.Missing, test.missing) {
			t.Errorf("%s: %s, at least %s, at most %s, missing %v", test.name, d.Relation, d.AtLeast, d.AtMost, d.Missing)
		}
		if (d.Why != "") != (test.atLeast == both || test.atMost == both) {
			t.Errorf("%s: why is %q", test.name, d.Why)
		}
	}
}

const twoFunctions = `verus! {

pub fn half(x: u32) -> (r: u32)
    requires
        x > 1,
    ensures
        r == x / 2,
{
    x / 2
}

pub fn same(x: u32) -> (r: u32)
    ensures
        r == x,
{
    x
}

} // verus!
`

func TestAnswers(t *testing.T) {
	head := strings.Replace(twoFunctions, "r == x / 2", "r <= x / 2", 1)
	p := pairsOf(t, one(twoFunctions), one(head))
	w := obligation.NewWriter(p.Head, p)
	half, same := p.OfHead(function(t, p.Head, "half")), p.OfHead(function(t, p.Head, "same"))
	w.Compare(half)
	w.Compare(same)
	plan := w.Plan()
	if len(plan.Shadows) != 1 || len(plan.Skipped) != 0 {
		t.Fatalf("%d shadows, skipped %v", len(plan.Shadows), plan.Skipped)
	}
	first := plan.Shadows[0]
	name := func(i int) string { return plan.Obligations[i].Names[0] }
	verdicts := func(results map[string]obligation.Verdict) []string {
		var out []string
		for _, a := range plan.Answers(results) {
			s := a.Function.Symbol + ": " + a.Question.String() + ": " + a.Verdict.String()
			if a.Name != "" {
				s += " by " + strings.TrimPrefix(a.Name, first.Prefix())
			}
			out = append(out, s)
		}
		return out
	}
	check := func(step string, got []string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", step, diff)
		}
	}
	check("nothing ran", verdicts(nil), "half: requires not stronger: not run", "half: ensures not weaker: not run", "half: requires not weaker: not run",
		"half: ensures not stronger: not run", "same: requires not stronger: proved", "same: ensures not weaker: not run",
		"same: requires not weaker: proved", "same: ensures not stronger: not run")
	results := map[string]obligation.Verdict{first.Canary: obligation.NotProved, name(0): obligation.Proved, name(1): obligation.NotProved,
		name(2): obligation.Proved, name(3): obligation.TimedOut, name(5): obligation.Rejected, name(7): obligation.Proved}
	firstTry := []string{"half: requires not stronger: proved by 2", "half: ensures not weaker: not proved", "half: requires not weaker: proved by 4",
		"half: ensures not stronger: timed out", "same: requires not stronger: proved", "same: ensures not weaker: rejected",
		"same: requires not weaker: proved", "same: ensures not stronger: proved by 7"}
	check("first try", verdicts(results), firstTry...)
	if d := plan.Direction(half, plan.Answers(results), obligation.Witnesses{Accepted: true}); d.Relation != obligation.Undecided ||
		!slices.Equal(d.Missing, []obligation.Question{obligation.EnsuresNotStronger}) {
		t.Errorf("half is %+v", d)
	}

	// The canary: what a shadow proved that proves `false` does not count.
	results[first.Canary] = obligation.Proved
	check("canary", verdicts(results), "half: requires not stronger: void", "half: ensures not weaker: void", "half: requires not weaker: void",
		"half: ensures not stronger: void", "same: requires not stronger: proved", "same: ensures not weaker: void", "same: requires not weaker: proved",
		"same: ensures not stronger: void")
	results[first.Canary] = obligation.NotProved

	// What the front end refuses can be left out.
	less := first.Without(name(1), name(5))
	text := string(less.Text)
	if strings.Contains(text, name(1)+"(") || strings.Contains(text, name(5)+"(") || !strings.Contains(text, name(0)+"(") {
		t.Errorf("after leaving out two:\n%s", text)
	}
	if len(less.Parts) != len(first.Parts)-2 {
		t.Errorf("%d parts of %d are left", len(less.Parts), len(first.Parts))
	}
	for _, part := range less.Parts {
		if got := string(less.Text[part.Span.Start:part.Span.End]); !strings.HasPrefix(got, "proof fn "+part.Name+"(") {
			t.Errorf("the part %s is %q", part.Name, got)
		}
	}
	if errs := syntax.Parse(source.NewFile("a.rs", less.Text)).Errors; len(errs) > 0 {
		t.Error(errs)
	}
}

func TestSecond(t *testing.T) {
	text := `verus! {

pub open spec fn sum(s: Seq<u32>) -> nat
    decreases s.len(),
{
    if s.len() == 0 { 0 } else { s[0] as nat + sum(s.skip(1)) }
}

pub fn f(v: &Vec<u32>, a: u64, b: u64) -> (r: Vec<u32>)
    ensures
        r@ == v@.push(1),
        r[0] == a * b,
        sum(r@) > 3,
{
    loop {}
}

pub fn bits(a: u64, b: u64) -> (r: u64)
    ensures
        r == a & b,
        r <= a | b,
{
    a & b
}

} // verus!
`
	p := pairsOf(t, one(text), one(text))
	w := obligation.NewWriter(p.Head, p)
	w.Compare(p.OfHead(function(t, p.Head, "f")))
	w.Compare(p.OfHead(function(t, p.Head, "bits")))
	plan := w.Plan()
	results := map[string]obligation.Verdict{}
	for _, o := range plan.Obligations {
		if o.Question == obligation.EnsuresNotStronger {
			results[o.Names[0]] = obligation.Proved
		}
	}
	second := plan.Second(results)
	if len(second) != 1 {
		t.Fatalf("%d shadows", len(second))
	}
	s := second[0]
	var got []string
	for _, part := range s.Parts[1:] {
		fn := string(s.Text[part.Span.Start:part.Span.End])
		got = append(got, part.Obligation.Function.Symbol+": "+part.Obligation.Question.String())
		for _, l := range strings.Split(fn, "\n") {
			if l = strings.TrimSpace(l); strings.HasPrefix(l, "assert") || strings.HasPrefix(l, "reveal") || strings.HasPrefix(l, "by ") {
				got = append(got, l)
			}
		}
	}
	want := []string{
		"f: ensures not weaker", "reveal_with_fuel(crate::sum, 4);", "assert(r[0] == r[0]);", "assert(r@ =~= v@.push(1));",
		"f: ensures not weaker", "by (nonlinear_arith)",
		"bits: ensures not weaker", "by (bit_vector)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if again := plan.Second(results); len(again) != 0 {
		t.Errorf("a third try: %d shadows", len(again))
	}
}
