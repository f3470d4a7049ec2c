package spectest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/value"
)

// suiteOf makes the suite of a function from what its cases say that it and its mutants give. verdicts has what the verifier says of the
// results of mutants, by input and result.
func suiteOf(t *testing.T, tr sample, tg *Target, side string) (s *Suite, verdicts map[string]string, err error) {
	t.Helper()
	var inputs []Input
	var observed []*Observed
	var mutants []MutantResult
	place := map[string]int{}
	verdicts = map[string]string{}
	for _, pass := range []string{"observed", "mutant"} {
		for n, c := range tr.Cases {
			if c.Origin != pass {
				continue
			}
			in, out, err := c.read(tg)
			if err != nil {
				return nil, nil, err // of another instance than the one chosen
			}
			if tg.judge.Input(in.Args, inputSteps).Meets != value.True {
				continue // the weak contract may ask for more
			}
			key, _ := keyOf(in.Args)
			i, known := place[key]
			switch {
			case pass == "observed" && !known:
				place[key] = len(inputs)
				inputs, observed = append(inputs, in), append(observed, &out)
			case pass == "mutant" && known:
				mutants = append(mutants, MutantResult{Mutant: fmt.Sprintf("m%d", n%5), Input: i, Got: out})
				verdicts[fmt.Sprint(i, out.Key())] = map[string]string{"strong": c.Strong, "weak": c.Weak}[side]
			}
		}
	}
	s, err = Assemble(tg, inputs, observed, mutants, Budget{})
	return s, verdicts, err
}

// Suites of functions from what the verifier's cases give. Its own verdicts about the results of mutants must come out.
func TestSuitesOfFunctions(t *testing.T) {
	var b strings.Builder
	for _, tr := range samples(t) {
		for _, side := range []string{"strong", "weak"} {
			name := filepath.Base(tr.dir) + " " + side
			tg, err := tr.target(t, side)
			if err != nil {
				continue // TestInputsOfFunctions has the reason
			}
			s, verdicts, err := suiteOf(t, tr, tg, side)
			if err != nil {
				fmt.Fprintf(&b, "%s: %v\n", name, err)
				continue
			}
			r, err := s.Ask(context.Background())
			if err != nil {
				t.Error(name, err)
				continue
			}
			checkSuite(t, name, s, r)
			for i, test := range s.Tests {
				want := verdicts[fmt.Sprint(test.Input, test.Wrong.Key())]
				if got := r.Answers[i].Verdict.String(); test.Source == FromMutant && want != got && want != "undecided" {
					t.Errorf("%s: %s gives %s: %s, the verifier says %s", name, tg.judge.Call(s.Case(i)), tg.judge.Outcome(s.Case(i)), got, want)
				}
			}
			c := s.Counts
			fmt.Fprintf(&b, "%s: %d spectests (%d edits, %d mutants) of %d (%d same, %d alike, %d duplicates, %d over): %d rejected, %d escaped, %d undecided; mutants %+v; refuted %d\n", name,
				len(s.Tests), c.Edits, c.Mutants, c.Offered, c.Same, c.Alike, c.Duplicates, c.OverBudget, r.Rejected, r.Escaped, r.Undecided, r.Mutants, len(r.Refuted))
			for _, cl := range r.Clauses {
				fmt.Fprintf(&b, "  %d, alone %d: %s\n", cl.Rejects, cl.Only, strings.Join(strings.Fields(cl.Clause.Node.Text()), " "))
			}
			if escaped := escapes(r); len(escaped) > 0 {
				k := s.Case(escaped[0])
				fmt.Fprintf(&b, "  escaped: %s gives %s\n", tg.judge.Call(k), tg.judge.Outcome(k))
			}
		}
	}
	golden(t, "suites.txt", b.String())
}

// escapes are the places of the spectests that escaped, the simplest first.
func escapes(r *Report) []int {
	var out []int
	for i, a := range r.Answers {
		if a.Verdict == eval.Accepted {
			out = append(out, i)
		}
	}
	return out
}

func checkSuite(t *testing.T, name string, s *Suite, r *Report) {
	t.Helper()
	c := s.Counts
	if c.Offered != c.Same+c.Alike+c.Duplicates+c.OverBudget+c.Edits+c.Mutants || c.Edits+c.Mutants != len(s.Tests) {
		t.Errorf("%s: the counts of the suite do not add up: %d spectests, %+v", name, len(s.Tests), c)
	}
	if n := r.Rejected + r.Escaped + r.Undecided; n != len(s.Tests) || len(r.Answers) != n ||
		r.Edits.Rejected+r.Mutants.Rejected != r.Rejected || r.Edits.Escaped+r.Mutants.Escaped != r.Escaped || r.Edits.Undecided+r.Mutants.Undecided != r.Undecided ||
		len(escapes(r)) != r.Escaped {
		t.Errorf("%s: the counts of the report do not add up: %d spectests, %+v", name, len(s.Tests), r)
	}
	perInput := map[int]int{}
	seen := map[string]bool{}
	for i, test := range s.Tests {
		perInput[test.Input]++
		key := fmt.Sprint(test.Input, test.Wrong.Key())
		if seen[key] || test.Wrong.Key() == s.Observed[test.Input].Key() {
			t.Errorf("%s: spectest %d is there twice, or is what the function gives", name, i)
		}
		seen[key] = true
		if i > 0 && s.size(s.Tests[i-1]) > s.size(test) {
			t.Errorf("%s: the simplest spectest does not come first", name)
		}
		if (test.Source == FromMutant) != (len(test.Mutants) > 0) {
			t.Errorf("%s: spectest %d is from a %s, but has the mutants %v", name, i, test.Source, test.Mutants)
		}
		if a := r.Answers[i]; a.Outside || (a.Verdict == eval.Rejected) != (a.Clause != nil) {
			t.Errorf("%s: spectest %d: %+v", name, i, a)
		}
	}
	for i, n := range perInput {
		if n > DefaultPerInput {
			t.Errorf("%s: %d spectests of input %d", name, n, i)
		}
	}
	if len(s.Tests) > DefaultTotal {
		t.Errorf("%s: %d spectests", name, len(s.Tests))
	}
}

const largest = `spec fn all(v: Seq<i32>, m: i32) -> bool { forall|i: int| 0 <= i < v.len() ==> v[i] <= m }
fn f(v: &Vec<i32>) -> (m: i32) requires v.len() > 0 ensures all(v@, m), v@.contains(m), m >= v[0] { 0 }`

// run gives what the greatest element is.
func run(in Input) *Observed {
	best := in.Args[0].(*value.List).Elems[0].(value.Int)
	for _, v := range in.Args[0].(*value.List).Elems {
		if v := v.(value.Int); v.Cmp(best) > 0 {
			best = v
		}
	}
	return &Observed{Result: best, After: make([]value.Value, 1)}
}

// Of a budget that is too small every input, every sort of edit, every mutant and both sources get their share.
func TestBudget(t *testing.T) {
	tg := targetOf(t, largest)
	set := inputs(t, tg, Options{Count: 12})
	var observed []*Observed
	var mutants []MutantResult
	for i, in := range set.Inputs {
		obs := run(in)
		observed = append(observed, obs)
		for m := range 10 { // m0 gives what the function gives
			mutants = append(mutants, MutantResult{fmt.Sprint("m", m), i, Observed{obs.Result.(value.Int).Sub(value.Small(int64(1000*m), value.IntT)).As(value.I32), obs.After}})
		}
	}
	// The last input gave nothing.
	observed[11] = nil
	mutants = slices.DeleteFunc(mutants, func(m MutantResult) bool { return !m.Got.Result.(value.Int).In(value.I32, 32) })
	var b strings.Builder
	for _, budget := range []Budget{{}, {PerInput: 4, Total: 33}, {PerInput: 3, Total: 100}, {PerInput: 16, Total: 12}} {
		s, err := Assemble(tg, set.Inputs, observed, mutants, budget)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Assemble(tg, set.Inputs, observed, mutants, budget)
		if err != nil || fmt.Sprint(again.Tests) != fmt.Sprint(s.Tests) {
			t.Error("assembled twice, a suite differs", err)
		}
		perInput, sorts := map[int]int{}, map[string]int{}
		for _, test := range s.Tests {
			perInput[test.Input]++
			if test.Source == FromMutant {
				sorts[test.Mutants[0]]++
			} else {
				sorts[test.Kind.String()]++
			}
		}
		fmt.Fprintf(&b, "%+v: %+v\n  inputs %v\n  sorts %v\n  mutants %v\n", budget, s.Counts, perInput, sorts, mutantsOf(s))
		r, err := s.Ask(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		checkSuite(t, fmt.Sprint(budget), s, r)
		for _, c := range r.Clauses {
			fmt.Fprintf(&b, "  %d, alone %d: %s\n", c.Rejects, c.Only, c.Clause.Node.Text())
		}
	}
	golden(t, "budget.txt", b.String())
	if _, err := Assemble(tg, set.Inputs, observed[:3], nil, Budget{}); err == nil || err.Error() != "assemble the suite of f: 12 inputs, but 3 observed results" {
		t.Error(err)
	}
	if _, err := Assemble(tg, set.Inputs, observed, []MutantResult{{Mutant: "m", Input: 12}}, Budget{}); err == nil || err.Error() != "assemble the suite of f: a mutant's result for input 12 of 12" {
		t.Error(err)
	}
}

// A result that the contract rejects although the function gave it is told, and the escaped ones say how weak it is.
func TestReport(t *testing.T) {
	weak := targetOf(t, strings.Replace(largest, "v@.contains(m), ", "", 1))
	in, obs := read(t, weak, []string{"[3, 1, 4]"}, "4", nil)
	low, lie := read(t, weak, []string{"[7, 9]"}, "8", nil)
	s, err := Assemble(weak, []Input{in, low}, []*Observed{&obs, &lie}, []MutantResult{{"swap the branches", 0, Observed{value.Small(1, value.I32), obs.After}}}, Budget{PerInput: 6})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Ask(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	checkSuite(t, "weak", s, r)
	var b strings.Builder
	for i, test := range s.Tests {
		k := s.Case(i)
		fmt.Fprintf(&b, "%s gives %s (%s; %s at %q; mutants %v): %s\n", weak.judge.Call(k), weak.judge.Outcome(k), test.Source, test.Kind, test.Where, test.Mutants, r.Answers[i].Verdict)
	}
	for _, ref := range r.Refuted {
		fmt.Fprintf(&b, "refuted: input %d by %s\n", ref.Input, ref.Answer.Clause.Node.Text())
	}
	for _, c := range r.Clauses {
		fmt.Fprintf(&b, "%d, alone %d: %s\n", c.Rejects, c.Only, c.Clause.Node.Text())
	}
	golden(t, "report.txt", b.String())
}

// A canary that is answered wrongly voids the suite.
func TestCanary(t *testing.T) {
	tg := targetOf(t, largest)
	in, obs := read(t, tg, []string{"[3, 1, 4]"}, "4", nil)
	s, err := Assemble(tg, []Input{in}, []*Observed{&obs}, nil, Budget{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.canaries(tg.judge.Canary); err != nil {
		t.Error(err)
	}
	for _, tc := range []struct {
		answers func(ensures bool) *eval.Judge
		want    string
	}{
		{func(bool) *eval.Judge { return tg.judge.Canary(true) }, "a canary was answered wrongly: under `ensures false`, f([3, 1, 4]) gives 4 is accepted, not rejected"},
		{func(bool) *eval.Judge { return tg.judge.Canary(false) }, "a canary was answered wrongly: under `ensures true`, f([3, 1, 4]) gives 4 is rejected, not accepted"},
	} {
		err := s.canaries(tc.answers)
		if !errors.Is(err, ErrCanary) || err.Error() != tc.want {
			t.Errorf("%v, want %s", err, tc.want)
		}
	}
	// An input that does not meet requires is no canary's: the answer about it is known too, but not that of the contract.
	s.Inputs[0].Args = []value.Value{&value.List{Of: value.Vec}}
	if _, err := s.Ask(context.Background()); !errors.Is(err, ErrCanary) {
		t.Error(err)
	} else if d := cmp.Diff("ask the contract of f: a canary was answered wrongly: under `ensures false`, f([]) gives 4 is accepted, not rejected", err.Error()); d != "" {
		t.Error(d)
	}
}

func TestAskCancelled(t *testing.T) {
	tg := targetOf(t, largest)
	in, obs := read(t, tg, []string{"[3, 1, 4]"}, "4", nil)
	s, err := Assemble(tg, []Input{in}, []*Observed{&obs}, nil, Budget{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Ask(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func BenchmarkSuite(b *testing.B) {
	tg := targetOf(b, largest)
	set := inputs(b, tg, Options{})
	var observed []*Observed
	for _, in := range set.Inputs {
		observed = append(observed, run(in))
	}
	n := 0
	for b.Loop() {
		s, err := Assemble(tg, set.Inputs, observed, nil, Budget{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Ask(context.Background()); err != nil {
			b.Fatal(err)
		}
		n += len(s.Tests)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "spectests/s")
}

// mutantsOf are the mutants that gave a result which the function did not give, for any input.
func mutantsOf(s *Suite) []string {
	var out []string
	for _, test := range s.Tests {
		for _, m := range test.Mutants {
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	slices.Sort(out)
	return out
}
