package measure_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/eval"
	"github.com/specgate/specgate/internal/measure"
	"github.com/specgate/specgate/internal/source"
)

const functions = "../eval/testdata/functions"

// TestFunctions measures functions that each have a strong and a weak contract, which the verifier accepts: everything is rejected under the strong
// one, and something under the weak one can be shown.
func TestFunctions(t *testing.T) {
	dirs, err := filepath.Glob(functions + "/*")
	if err != nil || len(dirs) < 48 {
		t.Fatalf("%d functions, %v", len(dirs), err)
	}
	var mu sync.Mutex
	var unmeasured []string
	measured, tests, undecided := 0, 0, 0
	t.Run("all", func(t *testing.T) {
		for _, dir := range dirs {
			t.Run(filepath.Base(dir), func(t *testing.T) {
				t.Parallel()
				weak, strong := read(t, dir, "weak.rs"), read(t, dir, "strong.rs")
				_, ss := subjects(t, strong, weak)
				weakened, found := false, 0
				for _, r := range run(t, strong, weak, options, ss) {
					s := r.Strength()
					symbol := r.Subject().Symbol
					if s.Base.Suite == nil || s.Head.Suite == nil {
						mu.Lock()
						unmeasured = append(unmeasured, symbol+": "+show(s.Base)+"; "+show(s.Head))
						mu.Unlock()
						if s.Base.Unmeasured == "" || s.Head.Unmeasured == "" {
							t.Errorf("%s: strong: %s, weak: %s", symbol, show(s.Base), show(s.Head))
						}
						continue
					}
					found++
					all := s.Base.Suite.All()
					if all.Escaped > 0 || s.Base.Suite.Fates.Survived > 0 || all.Rejected < 8 {
						t.Errorf("%s: under the strong contract: %s", symbol, show(s.Base))
					}
					mu.Lock()
					measured++
					tests += all.Rejected + all.Undecided
					undecided += all.Undecided
					mu.Unlock()
					// A contract may also be weak by what it asks for: then a call that the strong one allows is shown.
					d := s.Head.Suite.Domain
					weakened = weakened || len(s.Head.Suite.Escapes) > 0 || d.Allowed && d.Example != nil
					if f := s.Head.Suite.Fates; f.Differing != f.Killed+f.Survived+f.Undecided || f.Differing > f.Generated {
						t.Errorf("%s: mutants do not add up: %+v", symbol, f)
					}
				}
				if found > 0 && !weakened {
					t.Error("nothing is shown under the weak contract")
				}
			})
		}
	})
	t.Logf("%d functions measured, %d spectests under strong contracts, %d undecided", measured, tests, undecided)
	if len(unmeasured)*100 > 3*(measured+len(unmeasured)) {
		t.Errorf("too much is unmeasured:\n%s", strings.Join(unmeasured, "\n"))
	}
	if undecided*100 > 3*tests {
		t.Errorf("too much is undecided: %d of %d", undecided, tests)
	}
}

// given reads cases for a function.
func given(t testing.TB, file string) *eval.Suite {
	t.Helper()
	s, err := eval.ReadSuite(source.NewFile(filepath.Base(file), []byte(read(t, file))))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPaperMax is the example of SpecRL, section 3.2: of four spectests the weak contract rejects one, the strong one three. The fourth is a call that
// the precondition excludes, which counts when the policy says so.
func TestPaperMax(t *testing.T) {
	for _, c := range []struct {
		side   string
		domain bool
		want   checks.Tally
	}{
		{"weak", true, checks.Tally{Rejected: 1, Escaped: 3}},
		{"strong", true, checks.Tally{Rejected: 3, Escaped: 1}},
		{"weak", false, checks.Tally{Rejected: 1, Escaped: 2}},
		{"strong", false, checks.Tally{Rejected: 3}},
	} {
		text := read(t, functions, "paper_max", c.side+".rs")
		_, ss := subjects(t, text, text)
		ss[0].Base = nil
		ss[0].Head.Given = []*eval.Suite{given(t, functions+"/paper_max/truth.json")}
		if err := measure.CheckGiven(ss[0].Head.Func, ss[0].Head.Given[0]); err != nil {
			t.Fatal(err)
		}
		o := options
		o.CountDomain, o.Mutants = c.domain, 0
		m := run(t, text, text, o, ss[:1])[0].Strength().Head
		if m.Suite == nil {
			t.Fatal(show(m))
		}
		got := m.Suite.Given
		got.Escaped += m.Suite.Domain.Counted
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, domain counted %t (-want +got):\n%s", c.side, c.domain, diff)
		}
	}
}

// TestRecorded measures with results that were observed by others: the cases of the samples, for which nothing is compiled. The verifier's verdicts
// on the same cases, recorded with them, must be found again.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob(functions + "/*/truth.json")
	if err != nil || len(files) < 48 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	agree := 0
	for _, file := range files {
		dir := filepath.Dir(file)
		text := read(t, dir, "strong.rs")
		cases := given(t, file)
		_, ss := subjects(t, text, text)
		for _, s := range ss {
			if s.Symbol != cases.Function {
				continue
			}
			s.Base, s.Head.Given = nil, []*eval.Suite{cases}
			q, err := cases.For(s.Head.Func)
			if err != nil {
				continue // another test tells about those
			}
			observed := observedCases(t, file, q)
			recorded := func(_ context.Context, jobs []measure.Job) ([]measure.Ran, error) {
				out := make([]measure.Ran, len(jobs))
				for i, j := range jobs {
					out[i].Outcomes = make([]measure.Outcome, len(j.Inputs))
					for k, in := range j.Inputs {
						out[i].Outcomes[k].End = measure.Lost
						if got, ok := observed[key(in.Args)]; ok {
							out[i].Outcomes[k] = measure.Outcome{End: measure.Returned, Got: got}
						}
					}
				}
				return out, nil
			}
			got, err := measure.Measure(t.Context(), measure.Request{Subjects: []*measure.Subject{s}, Head: recorded})
			if err != nil {
				t.Fatal(err)
			}
			m := got[0].Strength().Head
			if m.Suite == nil {
				t.Logf("%s: %s", s.Symbol, show(m))
				continue
			}
			// All that is not observed is rejected by the strong contract, as the verifier said, but for what requires excludes.
			if g := m.Suite.Given; g.Escaped > 0 || m.Refuted != nil {
				t.Errorf("%s: %+v", s.Symbol, g)
			} else {
				agree += g.Rejected
			}
		}
	}
	if agree < 700 {
		t.Errorf("only %d cases were found again", agree)
	}
}

// TestSurvivorsOfBase: code that is the same is run once, in head. The edits that base's contract allows are then edits of head's text, which may
// be longer.
func TestSurvivorsOfBase(t *testing.T) {
	const grow = "pub fn grow(x: u32) -> (r: u32)\n    requires\n        x < 100,\n    ensures\n        r > x,\n{\n    x + 1\n}"
	base := wrapped(grow)
	head := wrapped("// " + strings.Repeat("A longer text. ", 100) + "\n" + strings.Replace(grow, "r > x,", "r > x,\n        r >= 1,", 1))
	_, ss := subjects(t, base, head)
	s := run(t, base, head, options, ss)[0].Strength()
	if !s.Comparable || s.Delta == nil || *s.Delta != 0 {
		t.Fatalf("comparable %t, delta %v", s.Comparable, s.Delta)
	}
	if diff := cmp.Diff(s.Head.Suite.Survivors, s.Base.Suite.Survivors); diff != "" || len(s.Base.Suite.Survivors) == 0 {
		t.Errorf("edits that survive (-head +base):\n%s", diff)
	}
}

func wrapped(fn string) string {
	return "use vstd::prelude::*;\n\nverus! {\n\n" + fn + "\n\n} // verus!\n"
}

// TestBrokenInvariant: a result that breaks the invariant of its type is rejected by every contract, so that a contract that is believed is false.
func TestBrokenInvariant(t *testing.T) {
	const even = "pub struct Even {\n    v: u8,\n}\n\nimpl Even {\n    #[verifier::type_invariant]\n    spec fn inv(self) -> bool {\n        self.v % 2 == 0\n    }\n\n" +
		"    pub closed spec fn val(self) -> int {\n        self.v as int\n    }\n\n" +
		"    #[verifier::external_body]\n    pub fn new(x: u8) -> (r: Even)\n        ensures\n            r.val() <= x,\n    {\n        Even { v: x / 2 }\n    }\n}"
	text := wrapped(even)
	_, ss := subjects(t, text, text)
	ss[0].Base = nil
	want := "refuted: new(2) is Even { v: 1 } ({ self.v % 2 == 0 })"
	if diff := cmp.Diff(want, show(run(t, text, text, options, ss[:1])[0].Strength().Head)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
