package measure_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/measure"
	"github.com/specgate/specgate/internal/spectest"
	"github.com/specgate/specgate/internal/value"
)

// echo runs functions that give their argument back, and mutants that give it plus one.
func echo(_ context.Context, jobs []measure.Job) ([]measure.Ran, error) {
	out := make([]measure.Ran, len(jobs))
	for i, j := range jobs {
		out[i].Mutants = make([][]measure.Outcome, len(j.Mutants.Mutants))
		for _, in := range j.Inputs {
			x := in.Args[0].(value.Int)
			out[i].Outcomes = append(out[i].Outcomes, measure.Outcome{End: measure.Returned, Got: spectest.Observed{Result: x, After: []value.Value{nil}}})
			for m := range out[i].Mutants {
				got := spectest.Observed{Result: x.Add(value.Small(1, value.IntT)).As(x.Type), After: []value.Value{nil}}
				out[i].Mutants[m] = append(out[i].Mutants[m], measure.Outcome{End: measure.Returned, Got: got})
			}
		}
	}
	return out, nil
}

// one measures the one function of a text with echo.
func one(t *testing.T, text string, o measure.Options) *measure.Result {
	t.Helper()
	_, ss := subjects(t, text, text)
	ss[0].Base = nil
	got, err := measure.Measure(t.Context(), measure.Request{Subjects: ss, Options: o, Head: echo})
	if err != nil {
		t.Fatal(err)
	}
	return got[0]
}

const openText = `use vstd::prelude::*;
verus! {
pub uninterp spec fn same(a: u8, b: u8) -> bool;
pub fn f(x: u8) -> (r: u8)
    requires x < 100,
    ensures same(x, r),
{
    x
}
}
`

// TestDecide puts what the evaluator leaves open to somebody else, and takes what is said of it.
func TestDecide(t *testing.T) {
	r := one(t, openText, measure.Options{Mutants: 1})
	before := r.Strength().Head.Suite
	all := before.All()
	if all.Rejected+all.Escaped > 0 || all.Undecided < 100 || before.Fates != (checks.Mutants{Generated: 1, Differing: 1, Undecided: 1}) {
		t.Fatalf("before: %+v, %+v", all, before.Fates)
	}
	o := r.Open(false, 1000)
	if len(o.Cases) != all.Undecided {
		t.Fatalf("%d cases, want %d", len(o.Cases), all.Undecided)
	}
	if few := r.Open(false, 3); len(few.Cases) != 3 {
		t.Errorf("%d cases, want 3", len(few.Cases))
	}
	if r.Open(true, 10) != nil {
		t.Error("there is no base")
	}
	// What the mutant gives is rejected, one other result is allowed, and of one both is said, which decides nothing.
	rejected, allowed, both := 0, 0, 0
	for i, k := range o.Cases {
		x, _ := k.Args[0].(value.Int).Int64()
		y, _ := k.Result.(value.Int).Int64()
		switch {
		case y == x+1:
			o.Decide(i, true, false)
			rejected++
		case allowed == 0:
			o.Decide(i, false, true)
			allowed++
		case both == 0:
			o.Decide(i, true, true)
			both++
		default:
			o.Decide(i, false, false)
		}
	}
	after := r.Strength().Head.Suite
	want := checks.Tally{Rejected: rejected, Escaped: 1, Undecided: all.Undecided - rejected - 1}
	if diff := cmp.Diff(want, after.All()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if after.Fates != (checks.Mutants{Generated: 1, Differing: 1, Killed: 1}) || len(after.Escapes) != 1 {
		t.Errorf("after: %+v, %v", after.Fates, after.Escapes)
	}
}

// TestUnique takes a proof that a contract allows one result only, unless a spectest refutes it.
func TestUnique(t *testing.T) {
	s := one(t, openText, measure.Options{}).Strength()
	if measure.Unique(s, false); !s.Head.Suite.Unique {
		t.Error("the proof is not taken")
	}
	s = one(t, strings.Replace(openText, "same(x, r)", "r >= x", 1), measure.Options{}).Strength()
	measure.Unique(s, false)
	m := s.Head
	if m.Suite != nil || !strings.HasPrefix(m.Void, "internal error: the verifier proves that the contract allows one result only, and f(") {
		t.Errorf("%+v", m)
	}
}

// TestCountsAddUp checks that every spectest is in one tally, and that what requires excludes counts when it is to.
func TestCountsAddUp(t *testing.T) {
	text := strings.Replace(openText, "same(x, r)", "r >= x", 1)
	plain, counted := one(t, text, measure.Options{Mutants: 2}).Strength().Head.Suite, one(t, text, measure.Options{Mutants: 2, CountDomain: true}).Strength().Head.Suite
	if plain.Domain.Returned == 0 || plain.Domain.Counted != 0 || counted.Domain.Counted != plain.Domain.Returned {
		t.Errorf("domain: %+v, and counted %+v", plain.Domain, counted.Domain)
	}
	p, c := plain.All(), counted.All()
	if c.Escaped-p.Escaped != counted.Domain.Counted || p.Rejected != c.Rejected || p.Rejected == 0 || p.Escaped == 0 {
		t.Errorf("tallies: %+v, and with the domain %+v", p, c)
	}
	if plain.Fates.Differing != plain.Fates.Survived || plain.Fates.Survived == 0 {
		t.Errorf("every mutant gives what the contract allows: %+v", plain.Fates)
	}
}

// TestRunnerErrors checks what becomes of runs that fail as such.
func TestRunnerErrors(t *testing.T) {
	_, ss := subjects(t, openText, openText)
	ss[0].Base = nil
	short := func(context.Context, []measure.Job) ([]measure.Ran, error) { return nil, nil }
	_, err := measure.Measure(t.Context(), measure.Request{Subjects: ss, Head: short})
	if err == nil || err.Error() != "run functions of head: 1 jobs, but 0 results" {
		t.Error(err)
	}
	nothing := func(_ context.Context, jobs []measure.Job) ([]measure.Ran, error) {
		return []measure.Ran{{Unmeasured: "it does not compile"}}, nil
	}
	got, err := measure.Measure(t.Context(), measure.Request{Subjects: ss, Head: nothing})
	if err != nil || got[0].Strength().Head.Unmeasured != "it does not compile" || got[0].Strength().Head.Ran {
		t.Errorf("%+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := measure.Measure(ctx, measure.Request{Subjects: ss, Head: echo}); err == nil || err.Error() != "measure the strength of contracts: context canceled" {
		t.Error(err)
	}
}
